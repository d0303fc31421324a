import { defineConfig } from 'vitepress'
import type { DefaultTheme } from 'vitepress'

// Kept apart so that the sidebar below stays readable.
const builtIns: DefaultTheme.SidebarItem[] = [
  {
    text: 'Built-in Components',
    collapsed: true,
    items: [
      { text: 'KeepAlive', link: '/guide/built-ins/keep-alive' },
      { text: 'Teleport', link: '/guide/built-ins/teleport' },
      { text: 'Transition', link: '/guide/built-ins/transition' },
      { text: 'Suspense', link: '/guide/built-ins/suspense' }
    ]
  }
]

const nav: DefaultTheme.NavItem[] = [
  { text: 'Guide', link: '/guide/introduction', activeMatch: '/guide/' },
  { text: 'API', link: '/api/', activeMatch: '/api/' }
]

export default defineConfig({
  lang: 'en-US',
  title: 'Vue in Short',
  description: 'A short, unofficial guide to Vue 3.5',

  srcExclude: ['**/parts/**', 'snippets/**'],

  // Announced in guide/scaling-up/testing.md, not written yet.
  ignoreDeadLinks: ['./end-to-end'],

  markdown: {
    codeTransformers: [
      {
        // Lines above a cut marker set the scene for the type checker only.
        name: 'cut-marker',
        preprocess(code) {
          const marker = '// ---cut---\n'
          const at = code.indexOf(marker)
          return at < 0 ? code : code.slice(at + marker.length)
        }
      },
      {
        // Examples of markup double a character, so that they are not taken for the real thing.
        name: 'unescape-examples',
        postprocess: (html) => html.replaceAll('[!!code', '[!code').replaceAll('@@include', '@include')
      }
    ]
  },

  themeConfig: {
    nav,
    outline: [2, 3],
    search: { provider: 'local' },

    sidebar: {
      '/guide/': [
        {
          text: 'Getting Started',
          items: [
            { text: 'Introduction', link: '/guide/introduction' },
            { text: 'Quick Start', link: '/guide/quick-start' }
          ]
        },
        {
          text: 'Essentials',
          collapsed: false,
          items: [
            { text: 'Template Syntax', link: '/guide/essentials/template-syntax' },
            { text: 'Reactivity', link: '/guide/essentials/reactivity' },
            { text: 'Computed Properties', link: '/guide/essentials/computed' },
            { text: 'Watchers', link: '/guide/essentials/watchers' },
            {
              text: 'In the Template',
              collapsed: true,
              items: [
                { text: 'Class and Style', link: '/guide/essentials/class-and-style' },
                { text: 'Conditional Rendering', link: '/guide/essentials/conditional' },
                { text: 'List Rendering', link: '/guide/essentials/list' },
                { text: 'Event Handling', link: '/guide/essentials/events' },
                { text: 'Form Inputs', link: '/guide/essentials/forms' }
              ]
            },
            { text: 'Lifecycle', link: '/guide/essentials/lifecycle' },
            { text: 'Template Refs', link: '/guide/essentials/template-refs' }
          ]
        },
        {
          text: 'Components',
          collapsed: false,
          items: [
            { text: 'Component Basics', link: '/guide/components/basics' },
            { text: 'Props', link: '/guide/components/props' },
            { text: 'Component Events', link: '/guide/components/events' },
            { text: 'Component v-model', link: '/guide/components/v-model' },
            { text: 'Slots', link: '/guide/components/slots' },
            { text: 'Provide / Inject', link: '/guide/components/provide-inject' },
            { text: 'Async Components', link: '/guide/components/async' }
          ]
        },
        ...builtIns,
        {
          text: 'Reusability',
          collapsed: true,
          items: [
            { text: 'Composables', link: '/guide/reusability/composables' },
            { text: 'Custom Directives', link: '/guide/reusability/directives' },
            { text: 'Plugins', link: '/guide/reusability/plugins' }
          ]
        },
        {
          text: 'Scaling Up',
          collapsed: true,
          items: [
            { text: 'Shared State', link: '/guide/scaling-up/state' },
            { text: 'Server-Side Rendering', link: '/guide/scaling-up/ssr' },
            { text: 'Testing', link: '/guide/scaling-up/testing' }
          ]
        }
      ],

      '/api/': [
        {
          text: 'API Overview',
          link: '/api/',
          items: [
            { text: 'Application', link: '/api/application' },
            {
              text: 'Composition API',
              items: [
                { text: 'Reactivity: Core', link: '/api/reactivity-core' },
                { text: 'Lifecycle Hooks', link: '/api/lifecycle-hooks' },
                { text: '<script setup>', link: '/api/sfc-script-setup' }
              ]
            },
            {
              text: 'Options API',
              items: [{ text: 'Options: State', link: '/api/options-state' }]
            },
            {
              text: 'Built-ins',
              items: [
                { text: 'Directives', link: '/api/built-in-directives' },
                { text: 'Components', link: '/api/built-in-components' }
              ]
            },
            { text: 'Utility Types', link: '/api/utility-types' }
          ]
        }
      ]
    }
  }
})
