import type { PushTurn } from '../../../contract/rpc/health.ts'
import type { LogLine } from './log-line.ts'
import { targetKey } from './targets.ts'

const holdKinds: ReadonlySet<string> = new Set(['held', 'heldByHand', 'heldWithoutPicture', 'returned', 'holdEnded'])
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
  for (const { at, kind, detail: told, remedy, from, later } of turns) {
    const detail = kind.startsWith('target') ? targetKey(profileId, cid, Number(told)) : told
    // Of the reasons of a state a page that was loaded meanwhile has another one.
    const isKnown = lines.some(
      (line) => line.at === at && line.kind === kind && (line.detail === detail || !kind.startsWith('target')),
    )
    const more = { ...(from !== undefined && { from }), ...(later !== undefined && { later }) }
    if (!isKnown) found.push({ at, kind, detail, remedy, ...more })
  }
  return found
}
