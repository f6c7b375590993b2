import { readNotice, roomNotices } from '../../contract/catalogue/notices.ts'
import { shownName } from '../../contract/web-link.ts'
import { say, span } from './words.ts'

/** Members of another type are ignored. */
export interface SeenNotice {
  readonly id: number
  readonly target: readonly string[]
  readonly name: string
  /** In s. */
  readonly seconds: number
  readonly expired: boolean
  readonly stillMuted: boolean
  /** In s, if changed. */
  readonly slow: number | undefined
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
/** Undefined if it is not a notice. */
export function seenNotice(attach: string): SeenNotice | undefined {
  const read = readNotice(attach)
  if (!read) return undefined
  const { target, tarNick, muteDuration, expired, stillMuted, slow } = read.data
  const [first] = texts(target)
  return {
    id: read.id,
    target: texts(target),
    name: first === undefined ? '' : shownName(texts(tarNick)[0] ?? '', first),
    seconds: typeof muteDuration === 'number' ? muteDuration : 0,
    expired: expired === true,
    stillMuted: stillMuted === true,
    slow: typeof slow === 'number' ? slow : undefined,
  }
}

/** Whether the person of a notice reads below the log what it says, and so not in it. */
export const isToldApart = ({ id, target, stillMuted }: SeenNotice, accid: string): boolean =>
  target[0] === accid &&
  (id === roomNotices.blacklisted ||
    id === roomNotices.muted ||
    id === roomNotices.mutedForAWhile ||
    ((id === roomNotices.unmuted || id === roomNotices.muteForAWhileLifted) && !stillMuted))

/** Undefined for notices that are not shown in the log. */
export function noticeText({ id, name, seconds, expired, stillMuted, slow }: SeenNotice): string | undefined {
  switch (id) {
    case roomNotices.blacklisted:
      return say('wasRemoved', { name })
    case roomNotices.muted:
      return say('wasMuted', { name })
    case roomNotices.unmuted:
      return say(stillMuted ? 'stillMuted' : 'wasUnmuted', { name })
    case roomNotices.mutedForAWhile:
      return say('wasMutedFor', { name, time: span(seconds) })
    case roomNotices.muteForAWhileLifted:
      if (stillMuted) return say('stillMuted', { name })
      return say(expired ? 'muteEnded' : 'wasUnmuted', { name })
    case roomNotices.roomMuted:
      return say('roomWasMuted')
    case roomNotices.roomUnmuted:
      return say('roomWasUnmuted')
    case roomNotices.updated:
      return slow === undefined ? undefined : slow > 0 ? say('slowSet', { seconds: slow }) : say('slowUnset')
    default:
      return undefined
  }
}
