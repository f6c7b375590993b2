import type { PushTurn } from '../../../contract/rpc/health.ts'
import type { LogLine } from './log-line.ts'
import { targetKey } from './targets.ts'

const holdKinds: ReadonlySet<string> = new Set(['held', 'heldByHand', 'returned', 'holdEnded'])
/** Whether a line or a turn is of a hold. */
export const isOfHold = ({ kind }: { readonly kind: string }): boolean => holdKinds.has(kind)

/** Lines for turns (oldest first) that a log does not have yet. */
export function recalledLines(
  profileId: string,
  cid: string,
  turns: readonly PushTurn[],
  lines: readonly LogLine[],
): LogLine[] {
  const found: LogLine[] = []
  /** Since when a picture is held. */
  let since: number | undefined
  for (const { at, kind, detail: told, remedy, from } of turns) {
    let detail = told
    if (kind.startsWith('target')) detail = targetKey(profileId, cid, Number(told))
    else if (kind === 'started') since = undefined
    else if (kind === 'held' || kind === 'heldByHand') since ??= at
    else if (kind === 'holdEnded') {
      detail = String(Math.max(1, Math.round((at - (since ?? at)) / 1_000)))
      since = undefined
    }
    // Of the reasons of a state a page that was loaded meanwhile has another one.
    const isKnown = lines.some(
      (line) => line.at === at && line.kind === kind && (line.detail === detail || !kind.startsWith('target')),
    )
    if (!isKnown) found.push({ at, kind, detail, remedy, ...(from !== undefined && { from }) })
  }
  return found
}
