import { computed, ref } from 'vue'

// #region composable
export function useCounter(start = 0) {
  const count = ref(start)
  const isEven = computed(() => count.value % 2 === 0)

  function increment(by = 1) {
    count.value += by
  }

  return { count, isEven, increment }
}
// #endregion composable

// #region usage
const { count, isEven, increment } = useCounter(10)

increment()
console.log(count.value, isEven.value) // 11 false
// #endregion usage
