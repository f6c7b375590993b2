import { useRouter } from 'vue-router'
import type { RecordedFile } from '../../../contract/rpc/index.ts'
import { inBackground } from '../../background.ts'
import { useCompanion } from '../../data/companion.ts'
import { useBlockerText } from '../channels/blocked.ts'

/** The clip editor, from a list of files. */
export function useTrimming() {
  const router = useRouter()
  const companion = useCompanion()
  const blockerText = useBlockerText()
  return {
    canTrim: ({ format, missing }: RecordedFile): boolean =>
      companion.extended && format !== 'flv' && missing !== true && blockerText.value === undefined,
    trim: ({ vid }: RecordedFile): void => inBackground(router.push(`/recordings/trim/${vid}`)),
  }
}
