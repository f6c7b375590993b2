import { onScopeDispose, shallowRef } from 'vue'
import { copyText } from './clipboard.ts'

/** How long it says that something was copied, in ms. */
const copiedFor = 4_000

/** Says for a while what was copied. */
export function useCopiedMark() {
  /** What was copied last, by the name that it was given; `refused` where the browser does not allow it. */
  const copied = shallowRef('')
  let timer: ReturnType<typeof setTimeout> | undefined
  onScopeDispose(() => clearTimeout(timer))
  return {
    copied,
    copy: async (text: string, what = 'text'): Promise<void> => {
      copied.value = (await copyText(text)) ? what : 'refused'
      clearTimeout(timer)
      timer = setTimeout(() => (copied.value = ''), copiedFor)
    },
  }
}
