import type { Log } from '../log.ts'
import { ownAuthority } from '../own-authority.ts'
import { readTargetAddress } from './target-address.ts'
import type { TargetProgress } from './target.ts'
import type { TargetRow } from './targets-store.ts'

const strange = `: its certificate is not accepted; ${ownAuthority}`

/** A target, as the log names it: of its address the host alone, since a path may have a key. */
type Named = Pick<TargetRow, 'cid' | 'targetId' | 'url'>

/** Writes what becomes of targets into the log: each state and reason once, not each try, and no key. */
export function createTargetLog(log: Pick<Log, 'info' | 'warn'>) {
  const last = new Map<number, string>()
  /** Those that got something of their push. */
  const sent = new Set<number>()
  const write = ({ cid, targetId, url }: Named, progress: TargetProgress): void => {
    const { state, reason, answer, dropped } = progress
    const about = { cid, targetId, host: readTargetAddress(url)?.host }
    const why = { ...about, reason, ...(answer !== undefined && { answer }) }
    const isStrange = reason === 'certificate'
    switch (state) {
      case 'waiting':
        return log.info(about, 'a target has taken the push, and waits for a picture')
      case 'sending':
        return log.info(about, 'a target gets the push')
      case 'retrying':
        return log.warn(why, `a target does not get the push; it is tried again${isStrange ? strange : ''}`)
      case 'refused':
        return log.warn(why, 'a target refuses its key; it is tried again by hand only')
      case 'noKey':
        return log.warn(about, 'a target has no key, or no address')
      case 'stopped':
        return log.info({ ...about, dropped }, 'a target was stopped by hand')
      default:
        return sent.has(targetId)
          ? log.info({ ...about, dropped }, 'a target gets nothing more: the push ended, or the target was changed')
          : log.info(about, 'the push ended, or the target was changed, before a target got it')
    }
  }
  const forget = (targetId: number): void => {
    last.delete(targetId)
    sent.delete(targetId)
  }
  return {
    changed(target: Named, progress: TargetProgress): void {
      const { state, reason = '' } = progress
      // Tries and short delays come and go many times.
      if (state === 'connecting' || state === 'stalled') return
      const now = state === 'retrying' ? `${state} ${reason}` : state
      const before = last.get(target.targetId) ?? 'off'
      if (now === before) return
      if (state === 'sending') sent.add(target.targetId)
      write(target, progress)
      if (state === 'off') forget(target.targetId)
      else last.set(target.targetId, now)
    },
    /** A target is gone. */
    forget,
  }
}
