import { shownName } from '../../contract/web-link.ts'
import { say, span } from './words.ts'

/** Ids of the notices that a viewer's page acts on or shows (behaviour.md#notices). */
export const noticeIds = {
  blacklisted: 303,
  muted: 305,
  unmuted: 306,
  adminSet: 307,
  adminUnset: 308,
  updated: 312,
  mutedForAWhile: 314,
  lifted: 315,
  roomMuted: 318,
  roomUnmuted: 319,
} as const

/** A notice of the room, as far as this page reads it. */
export interface Notice {
  readonly id?: number
  readonly data?: {
    readonly target?: readonly string[]
    readonly tarNick?: readonly string[]
    readonly muteDuration?: number
    readonly expired?: boolean
    /** Another mute of the same person holds. */
    readonly stillMuted?: boolean
    readonly slow?: number
  }
}

/** Reads the attachment of a notice; undefined for what is none. */
export function readNotice(attach: string): Notice | undefined {
  try {
    const value: unknown = JSON.parse(attach)
    return typeof value === 'object' && value !== null ? (value as Notice) : undefined
  } catch {
    return undefined
  }
}

/** What the room sees of a notice; undefined for what is shown elsewhere or not at all. */
export function noticeText({ id, data }: Notice): string | undefined {
  const target = data?.target?.[0]
  const name = target === undefined ? '' : shownName(data?.tarNick?.[0] ?? '', target)
  switch (id) {
    case noticeIds.blacklisted:
      return say('wasRemoved', { name })
    case noticeIds.muted:
      return say('wasMuted', { name })
    case noticeIds.unmuted:
      return say(data?.stillMuted === true ? 'stillMuted' : 'wasUnmuted', { name })
    case noticeIds.mutedForAWhile:
      return say('wasMutedFor', { name, time: span(data?.muteDuration ?? 0) })
    case noticeIds.lifted:
      if (data?.stillMuted === true) return say('stillMuted', { name })
      return say(data?.expired === true ? 'muteEnded' : 'wasUnmuted', { name })
    case noticeIds.roomMuted:
      return say('roomWasMuted')
    case noticeIds.roomUnmuted:
      return say('roomWasUnmuted')
    case noticeIds.updated:
      return data?.slow === undefined ? undefined : data.slow > 0 ? say('slowSet', { seconds: data.slow }) : say('slowUnset')
    default:
      return undefined
  }
}
