import { useToast } from '@nuxt/ui/composables'
import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import { inBackground } from '../../background.ts'
import { useFailureWords } from '../../ui/failure-words.ts'
import type { CommandOutcome } from './studio-commands.ts'

/** How entries of the palette act; each closes it. */
export interface PaletteWays {
  /** At once. */
  readonly act: (action: () => unknown) => () => void
  /** Once the palette is gone: what takes the focus outside of a dialog, as the palette gives the focus back. */
  readonly afterwards: PaletteWays['act']
  readonly go: (path: string) => () => void
  /** With what came of it told, as it may not be visible on this screen. */
  readonly told: (work: () => Promise<CommandOutcome>, done: string) => () => void
}

/** `close` closes the palette; `onClosed` is called as it gives the focus back. */
export function usePaletteWays(close: () => void): PaletteWays & { readonly onClosed: () => void } {
  const { t } = useI18n()
  const router = useRouter()
  const wordsOf = useFailureWords()
  const toast = useToast()
  const act: PaletteWays['act'] = (action) => () => {
    close()
    inBackground(Promise.resolve(action()))
  }
  let waiting: (() => unknown) | undefined
  return {
    act,
    afterwards: (action) => act(() => (waiting = action)),
    onClosed: () => {
      const action = waiting
      waiting = undefined
      // The focus is moved after this event.
      if (action) setTimeout(() => inBackground(Promise.resolve(action())))
    },
    go: (path) => act(() => router.push(path)),
    told: (work, done) =>
      act(async () => {
        const outcome = await work()
        if (outcome.done) toast.add({ title: done, icon: 'i-lucide-check' })
        else {
          const { sentence, next } = outcome.failure
            ? wordsOf(outcome.failure)
            : { sentence: outcome.why ?? t(outcome.clipboard ? 'word.notCopied' : 'palette.noChannel'), next: '' }
          toast.add({ title: sentence, description: next, icon: 'i-lucide-triangle-alert' })
        }
      }),
  }
}
