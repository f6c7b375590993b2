import { DiskFault } from '../platform/disk-fault.ts'
import { reasonOf } from '../companion/failure.ts'
import { wordsOf } from './words.ts'

/** Shows why the app could not start, in a box of the system: there is no window then, and nobody sees the log of an installed program. */
export function showStartFault(
  error: unknown,
  { language, box }: { readonly language: string; readonly box: (title: string, text: string) => void },
): void {
  const words = wordsOf('system', language).notStarted
  box(
    words.title,
    error instanceof DiskFault
      ? `${words.disk[error.kind](error.folder)}\n\n${words.kept}`
      : words.other(reasonOf(error)),
  )
}
