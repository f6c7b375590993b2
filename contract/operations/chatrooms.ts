import { flag, integer, list, object, text } from '../field.ts'
import { maxMute } from './limits.ts'
import { accid, accidElement, roomOperationsOf } from './messaging.ts'

/** Types: 0 text, 1 image, 2 voice, 3 video, 4 location, 6 file, 10 tips, 100 custom (3-chatrooms sendMsg). */
export const roomMessageTypes = [0, 1, 2, 3, 4, 6, 10, 100] as const
/** Options of setMemberRole (3-chatrooms States). */
export const roleOptions = { admin: 1, ordinary: 2, blacklist: -1, mute: -2 } as const

const roomid = integer({ summary: 'Room.', required: true, min: 1 })
const operator = accid('Who acts.')
const target = accid('Who it is done to.')
const needNotify = flag({ summary: 'Those inside are told.', default: true })
const notifyExt = text({ summary: 'Extension of the notification.', max: 2048 })
/** Texts of a room besides its name, which callers set and everybody reads; empty if unset. */
export const roomTexts = {
  announcement: text({ summary: 'Announcement.', max: 4096, clearable: true }),
  broadcasturl: text({ summary: 'Live address.', max: 1024, clearable: true }),
  ext: text({ summary: 'Extension.', max: 4096, clearable: true }),
} as const
const robotAccids = list(accidElement, {
  summary: 'Accounts, 419 above their count.',
  required: true,
  min: 1,
  max: 100,
  whenOver: 419,
})

/** Which members, and where a page of them begins. */
export const membersPage = {
  type: integer({
    summary: '0 fixed members, 1 the others inside, 2 fixed members online.',
    required: true,
    oneOf: [0, 1, 2],
  }),
  endtime: integer({
    summary: 'Time in ms of the last one of the page before; 0 for the first page.',
    min: 0,
    default: 0,
  }),
} as const

/** A room in answers. */
const room = {
  roomid: integer(),
  valid: flag({ summary: 'It is open.' }),
  name: text(),
  ...roomTexts,
  creator: text(),
} as const
/** A member in lists; conditions are present only if true. */
const member = object({
  roomid: integer(),
  accid: text(),
  nick: text(),
  type: integer({ summary: '-1 limited, 0 ordinary, 1 creator, 2 admin, 3 temporary.' }),
  onlineStat: flag(),
  avator: text({ optional: true }),
  ext: text({ optional: true }),
  enterTime: integer({ summary: 'Of members that are not fixed, in ms.', optional: true }),
  updateTime: integer({ summary: 'Of fixed members, in ms.', optional: true }),
  blacklisted: flag({ optional: true }),
  muted: flag({ optional: true }),
  tempMuted: flag({ optional: true }),
  tempMuteTtl: integer({ summary: 'Seconds that remain.', optional: true }),
  isRobot: flag({ optional: true }),
})
const both = object({
  failAccids: text({ summary: 'A JSON array as a string.' }),
  successAccids: text({ summary: 'A JSON array as a string.' }),
})

const ofRooms = roomOperationsOf('chatrooms')
const ofQueue = roomOperationsOf('queue')
const ofRobots = roomOperationsOf('robots')

/** Operations on rooms, their members and their lines (3-chatrooms Endpoints). */
export const chatrooms = {
  create: ofRooms(
    '/chatroom/create',
    'Creates a room.',
    {
      creator: accid('Who creates it.'),
      name: text({ summary: 'Name.', required: true, max: 128 }),
      ...roomTexts,
    },
    { chatroom: object(room) },
    [419],
  ),
  get: ofRooms(
    '/chatroom/get',
    'Reads a room.',
    { roomid, needOnlineUserCount: flag({ summary: 'The answer counts who is online.', default: false }) },
    {
      chatroom: object({
        ...room,
        muted: flag({ summary: 'Only creator and admins may speak.' }),
        onlineusercount: integer({ optional: true }),
      }),
    },
    [404],
  ),
  update: ofRooms(
    '/chatroom/update',
    'Changes a room.',
    { roomid, name: text({ summary: 'Name.', max: 128 }), ...roomTexts, needNotify, notifyExt },
    { chatroom: object(room) },
    [404, 13002],
  ),
  toggleCloseStat: ofRooms(
    '/chatroom/toggleCloseStat',
    'Opens or closes a room.',
    { roomid, operator, valid: flag({ summary: 'true open, false close.', required: true }) },
    { desc: object(room) },
    [404, 417, 419],
  ),
  setMemberRole: ofRooms(
    '/chatroom/setMemberRole',
    'Sets or unsets what somebody is in a room.',
    {
      roomid,
      operator,
      target,
      opt: integer({ summary: '1 admin, 2 ordinary, -1 blacklist, -2 mute.', required: true, oneOf: [1, 2, -1, -2] }),
      optvalue: flag({ summary: 'true set, false unset.', required: true }),
      notifyExt,
    },
    {
      desc: object({
        roomid: integer(),
        level: integer(),
        accid: text(),
        type: text({ summary: 'LIMITED, COMMON, CREATOR, MANAGER or TEMPORARY.' }),
      }),
    },
    [404, 417, 419, 13002],
  ),
  requestAddr: ofRooms(
    '/chatroom/requestAddr',
    'Gives the addresses at which an account enters a room.',
    {
      roomid,
      accid: accid('Who enters.'),
      clienttype: integer({
        summary: '1 weblink, 2 commonlink, 3 mini program; the answer is the same.',
        oneOf: [1, 2, 3],
        default: 1,
      }),
    },
    { addr: list(text(), { summary: 'host:port.' }) },
    [514, 13002],
  ),
  sendMsg: ofRooms(
    '/chatroom/sendMsg',
    'Sends a line to a room.',
    {
      roomid,
      msgId: text({
        summary: "The client's id of the line; a second one of the same sender is not sent again.",
        required: true,
        max: 64,
      }),
      fromAccid: accid('Sender.'),
      msgType: integer({
        summary: '0 text, 1 image, 2 voice, 3 video, 4 location, 6 file, 10 tips, 100 custom.',
        required: true,
        oneOf: roomMessageTypes,
      }),
      resendFlag: integer({ summary: '1 when it is sent again.', oneOf: [0, 1], default: 0 }),
      attach: text({ summary: 'Content: text, or JSON by type.', max: 4096 }),
      ext: text({ summary: 'Extension.', max: 4096 }),
      antispam: flag({ summary: 'antispamCustom is what the word list is applied to.', default: false }),
      antispamCustom: text({ summary: 'Content for the word list.', max: 4096 }),
    },
    {
      desc: object({
        time: text(),
        fromAvator: text(),
        msgid_client: text(),
        fromClientType: text(),
        attach: text(),
        roomId: text(),
        fromAccount: text(),
        fromNick: text(),
        type: text(),
        ext: text(),
      }),
    },
  ),
  temporaryMute: ofRooms(
    '/chatroom/temporaryMute',
    'Mutes somebody for a while, or lifts that.',
    {
      roomid,
      operator,
      target,
      muteDuration: integer({ summary: 'Seconds; 0 lifts it.', required: true, min: 0, max: maxMute }),
      needNotify,
      notifyExt,
    },
    { desc: object({ muteDuration: integer() }) },
    [404, 417, 419, 13002],
  ),
  muteRoom: ofRooms(
    '/chatroom/muteRoom',
    'Mutes a whole room, or lifts that.',
    { roomid, operator, mute: flag({ summary: 'true mute, false lift.', required: true }), needNotify, notifyExt },
    { desc: object({ success: flag() }) },
  ),
  membersByPage: ofRooms(
    '/chatroom/membersByPage',
    'Lists members, the latest first.',
    {
      roomid,
      ...membersPage,
      limit: integer({ summary: 'Entries.', required: true, min: 1, max: 100 }),
    },
    { desc: object({ data: list(member) }) },
  ),
  queryMembers: ofRooms(
    '/chatroom/queryMembers',
    'Reads which of the accounts are online in a room.',
    { roomid, accids: list(accidElement, { summary: 'Accounts.', required: true, min: 1, max: 200 }) },
    { desc: object({ data: list(member) }) },
  ),
} as const

const key = text({ summary: 'Key of the element.', max: 128 })
const nothing = { desc: object({}) } as const

/** Operations on the queue of a room (3-chatrooms Endpoints). */
export const queue = {
  offer: ofQueue(
    '/chatroom/queueOffer',
    'Puts an element at the end, or changes the one with its key.',
    { roomid, key: { ...key, required: true }, value: text({ summary: 'Value.', required: true, max: 4096 }) },
    nothing,
  ),
  poll: ofQueue(
    '/chatroom/queuePoll',
    'Takes the first element, or the one with a key.',
    { roomid, key },
    { desc: object({ key: text(), value: text() }) },
    [404],
  ),
  list: ofQueue(
    '/chatroom/queueList',
    'Lists the elements in order.',
    { roomid },
    { desc: object({ list: list(object({})) }) },
  ),
  drop: ofQueue('/chatroom/queueDrop', 'Empties the queue.', { roomid }, nothing),
  init: ofQueue(
    '/chatroom/queueInit',
    'Empties the queue and sets its size.',
    { roomid, sizeLimit: integer({ summary: 'Elements at most.', required: true, min: 0, max: 1000 }) },
    nothing,
  ),
} as const

/** Operations on the robots of a room (3-chatrooms Endpoints). */
export const robots = {
  add: ofRobots(
    '/chatroom/addRobot',
    'Puts accounts into a room as robots, which count as online and never speak.',
    { roomid, accids: robotAccids, roleExt: text({ summary: 'Extension of the robots.', max: 4096 }), notifyExt },
    { desc: both },
    [417, 419, 13003],
  ),
  remove: ofRobots(
    '/chatroom/removeRobot',
    'Takes robots out of a room.',
    { roomid, accids: robotAccids },
    { desc: both },
    [404, 419],
  ),
} as const
