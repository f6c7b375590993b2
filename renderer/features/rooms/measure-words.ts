import { useI18n } from 'vue-i18n'
import type { LoggedAction, RoomAction } from '../../../contract/rpc/index.ts'
import { undoneBy } from './room-measures.ts'
import { useSpanWords } from '../../ui/span-words.ts'

/** Describes a measure, set or lifted. */
export function useMeasureWords(): (action: LoggedAction) => string {
  const { t } = useI18n()
  const spans = useSpanWords()
  return (action) => {
    if (action.kind === 'openRoom') return t(action.on ? 'room.opened' : 'room.closed')
    const kind = t(`room.measure.${action.kind}`)
    if (action.kind === 'decideHeld')
      return t('room.decided', { what: kind, how: t(action.allow ? 'roomLists.held.allow' : 'roomLists.held.drop') })
    if ('seconds' in action && action.seconds > 0) return `${kind} ${spans.length(action.seconds)}`
    if ('seconds' in action) return t('room.did', { what: kind, how: t('room.off') })
    return 'on' in action ? t('room.did', { what: kind, how: t(action.on ? 'room.on' : 'room.off') }) : kind
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
