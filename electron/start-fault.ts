import { DiskFault } from '../platform/disk-fault.ts'
import { reasonOf } from '../companion/failure.ts'
import { wordsOf } from './words.ts'

/** Shows in a system dialog why the app could not start: there is no window yet, and no visible log. */
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
