import type { LoggedAction, RoomAction, RoomPanel } from '../../contract/rpc/index.ts'
import type { AppEvent } from '../../contract/rpc/events.ts'

/** An entry of the log of moderator actions, done without a fault. */
export const roomAction = (what: LoggedAction, change: Partial<RoomAction> = {}): RoomAction => ({
  id: 1,
  roomid: 7,
  at: 1,
  operator: 'host',
  what,
  why: '',
  undoes: null,
  result: 'done',
  code: 200,
  detail: '',
  failure: null,
  operatorName: '',
  targetName: '',
  line: null,
  ...change,
})

/** Room 7 as its creator `host` sits in it. */
export const roomPanel = (change: Partial<RoomPanel> = {}): RoomPanel => ({
  profileId: 'local',
  roomid: 7,
  phase: 'inside',
  reason: null,
  accid: 'host',
  name: 'Seven',
  announcement: '',
  muted: false,
  mutedBy: null,
  mutedAt: null,
  slow: 0,
  online: 1,
  counts: null,
  ...change,
})

/** A line that somebody says in room 7. */
export const saidLine = (msgid: string, from: string, attach: string): AppEvent => ({
  type: 'roomPush',
  profileId: 'local',
  roomid: 7,
  push: {
    t: 'roomMessage',
    roomid: 7,
    msgid,
    at: Date.now(),
    from,
    fromNick: from,
    fromClientType: 'WEB',
    type: 0,
    attach,
  },
})

/** The seat of a moderator in room 7. */
export const seat = { profileId: 'local', roomid: 7, cid: null, accid: 'mei', name: 'Mei' }
