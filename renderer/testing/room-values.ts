import type { LoggedDeed, RoomAction } from '../../contract/rpc/index.ts'

/** An entry of the log of moderator actions, done without a fault. */
export const roomAction = (what: LoggedDeed, change: Partial<RoomAction> = {}): RoomAction => ({
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
