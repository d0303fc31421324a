import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import SampleIndex from './SampleIndex.vue'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('SampleIndex', SampleIndex)
  }
} satisfies Theme
