import { useI18n } from 'vue-i18n'
import type { LoggedDeed, RoomAction } from '../../../contract/rpc/index.ts'
import { undoneBy } from './room-measures.ts'
import { useSpanWords } from '../../ui/span-words.ts'

/** Describes a measure, set or lifted. */
export function useMeasureWords(): (deed: LoggedDeed) => string {
  const { t } = useI18n()
  const spans = useSpanWords()
  return (deed) => {
    if (deed.kind === 'openRoom') return t(deed.on ? 'room.opened' : 'room.closed')
    const kind = t(`room.measure.${deed.kind}`)
    if (deed.kind === 'decideHeld')
      return t('room.decided', { what: kind, how: t(deed.allow ? 'roomLists.held.allow' : 'roomLists.held.drop') })
    if ('seconds' in deed && deed.seconds > 0) return `${kind} ${spans.length(deed.seconds)}`
    if ('seconds' in deed) return t('room.did', { what: kind, how: t('room.off') })
    return 'on' in deed ? t('room.did', { what: kind, how: t(deed.on ? 'room.on' : 'room.off') }) : kind
  }
}

/** Describes an entry of the log; of an undo, what it undid, and the mute that remains. */
export function useActionWords(): (action: RoomAction, log: readonly RoomAction[]) => string {
  const { t } = useI18n()
  const words = useMeasureWords()
  return (action, log) => {
    const { what, undoes } = action
    if (undoes === null) return words(what)
    const undone = undoneBy(action, log)
    const undo = t('room.undoOf', { what: undone ? words(undone) : t(`room.measure.${what.kind}`) })
    return 'seconds' in what && what.seconds > 0 ? `${undo} · ${words(what)}` : undo
  }
}
