import type { Pinia } from 'pinia'
import type { LinkPush } from '../../contract/link/frames.ts'
import type { LinkSession } from '../../contract/rpc/index.ts'
import type { AppEvent } from '../../contract/rpc/events.ts'
import { useMessaging } from '../features/messaging/messaging.ts'
import type { Answers } from './memory-client.ts'
import { began } from './mounted.ts'

/** The link session of an account of this computer, online. */
export const linkSession = (accid = 'ana', change: Partial<LinkSession> = {}): LinkSession => ({
  profileId: 'local',
  accid,
  phase: 'online',
  reason: null,
  unread: 0,
  kept: false,
  ...change,
})

/** What tells of a session. */
export const sessionEvent = (accid = 'ana', change: Partial<LinkSession> = {}): AppEvent => ({
  type: 'linkSession',
  session: linkSession(accid, change),
})

/** What tells of a push to an account. */
export const pushed = (push: LinkPush, accid = 'ana'): AppEvent => ({ type: 'link', profileId: 'local', accid, push })

/** A message of mei to ana, of the given number and text. */
export const message = (seq: number, msg: string, change: Partial<LinkPush<'message'>> = {}): LinkPush<'message'> => ({
  t: 'message',
  seq,
  at: began - 3_600_000 + seq * 1_000,
  scene: 'p2p',
  from: 'mei',
  to: 'ana',
  type: 0,
  body: JSON.stringify({ msg }),
  fromClientType: 'PC',
  push: true,
  badge: true,
  ...change,
})

/** Rows of the link's history, the newest first. */
export const rows = (messages: readonly LinkPush<'message'>[]): Record<string, never>[] =>
  messages.toReversed() as unknown as Record<string, never>[]

/** The page acts as an account, as it did before. */
export const actingAs =
  (accid = 'ana') =>
  (pinia: Pinia): void =>
    useMessaging(pinia).choose(accid)

/** Messaging without anything in it. */
export const quietMessaging: Answers = {
  'messaging.sessions': () => [],
  'messaging.link.unread': () => ({ total: 0, conversations: [] }),
  'messaging.link.friends': () => ({ friends: [] }),
  'messaging.link.teams': () => ({ teams: [] }),
  'messaging.link.watch': () => ({ presence: [] }),
  'messaging.link.history': () => ({ events: [], more: false }),
  'messaging.link.read': () => ({ unread: 0, total: 0 }),
  'operations.accounts.getUinfos': ({ call }) => ({
    uinfos: call.accids.map((accid) => ({ valid: true, accid })),
  }),
  'operations.friends.get': () => ({ size: 0, friends: [] }),
  'operations.teams.joinTeams': () => ({ count: 0, infos: [] }),
  'operations.history.session': () => ({ size: 0, msgs: [] }),
  'operations.history.team': () => ({ size: 0, msgs: [] }),
}
