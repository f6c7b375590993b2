import { flag, integer, list, object, text, type FlagField } from '../field.ts'
import { accid, accidElement, blockSeconds, messagingOperation, perMinute } from './messaging.ts'

/** Types of 2-messaging, Message body shapes, and 10, a tip with a free body. */
export const messageTypes = [0, 1, 2, 3, 4, 6, 10, 100] as const
/** Largest decoded file in bytes: 15M (behaviour.md#files). */
export const maxFile = 15 * 1024 * 1024
/** Recipients per batch call (2-messaging Limits). */
export const maxBatch = 500

const option = (fallback: boolean, summary: string): FlagField & { default: boolean } =>
  flag({ default: fallback, summary })
/** Keys of a message's `option` with their defaults (2-messaging Message option). */
export const messageOptions = {
  roam: option(true, 'The message roams.'),
  history: option(true, 'It is stored in the history.'),
  sendersync: option(true, "It is synchronised to the sender's other devices."),
  push: option(true, 'It may be pushed to a phone.'),
  route: option(true, 'It is copied to the developer.'),
  badge: option(true, 'It counts as unread.'),
  needPushNick: option(true, 'The text of a push carries the nickname.'),
  persistent: option(true, 'It is kept for those who are offline.'),
} as const
/** Keys of a system notification's `option` with their defaults (2-messaging Message option). */
export const notificationOptions = {
  badge: option(true, 'It counts as unread.'),
  needPushNick: option(false, 'The text of a push carries the nickname.'),
  route: option(true, 'It is copied to the developer.'),
} as const

const options = text({ summary: 'Message options, as a JSON object.', max: 1024, json: 'object' })
const type = integer({
  summary: '0 text, 1 image, 2 voice, 3 video, 4 location, 6 file, 10 tip, 100 custom.',
  required: true,
  oneOf: messageTypes,
})
const body = text({ summary: 'The body by type, as a JSON object.', required: true, max: 5000, json: 'object' })
const pushcontent = text({ summary: 'Text of a push.', max: 150, also: ['pushContent'] })
const payload = text({ summary: 'Payload of a push, as a JSON object.', max: 2048, json: 'object' })
const ext = text({ summary: 'Extension.', max: 1024 })
const attach = text({ summary: 'Content of the notification, JSON recommended.', required: true, max: 4096 })
const sound = text({ summary: 'Name of a local sound file.', max: 30 })
const save = integer({ summary: '1 online only, 2 also stored offline.', oneOf: [1, 2], default: 2 })
const recipients = list(accidElement, { summary: 'Recipients.', required: true, min: 1, max: maxBatch })
const to = text({ summary: 'accid of the recipient, or tid.', required: true, max: 128 })
const batch = { rates: [perMinute('application', 120, blockSeconds)] } as const
const unregister = text({ summary: 'Accounts that are not registered, as a JSON array.' })
const fileType = text({ summary: 'Type of the file.', max: 32 })
/** Answer of the sending operations beyond the specification (behaviour.md#answers-of-messaging). */
const receipt = object({ msgid: integer(), timetag: integer(), antispam: flag() })

/** Operations on messages, notifications and files (2-messaging Messages and notifications). */
export const messages = {
  send: messagingOperation(
    'messages',
    '/msg/sendMsg',
    'Sends a message to an account or a team.',
    {
      from: accid('Sender.'),
      ope: integer({ summary: '0 one-to-one, 1 team.', required: true, oneOf: [0, 1] }),
      to,
      type,
      body,
      antispam: flag({ summary: 'antispamCustom is what the word list is applied to.', default: false }),
      antispamCustom: text({ summary: 'Content for the word list.', max: 5000 }),
      option: options,
      pushcontent,
      payload,
      ext,
      forcepushlist: list(accidElement, {
        summary: 'Members to whom a push is forced.',
        max: 200,
        also: ['forcePushList'],
      }),
      forcepushcontent: text({ summary: 'Text of a forced push.', max: 150, also: ['forcePushContent'] }),
      forcepushall: flag({
        summary: 'A push is forced to all members but the sender.',
        default: false,
        also: ['forcePushAll'],
      }),
    },
    { data: receipt },
  ),
  sendBatch: messagingOperation(
    'messages',
    '/msg/sendBatchMsg',
    'Sends a message to up to 500 accounts.',
    {
      fromAccid: accid('Sender.'),
      toAccids: recipients,
      type,
      body,
      option: options,
      pushcontent,
      payload,
      ext,
      returnMsgid: flag({ summary: 'The answer has the ids of the messages.', default: false }),
    },
    {
      unregister,
      msgids: object({}, { summary: 'With returnMsgid: accid and id of its message.', optional: true }),
      timetag: integer({ summary: 'With returnMsgid: when they were taken, in ms.', optional: true }),
    },
    batch,
  ),
  notify: messagingOperation(
    'messages',
    '/msg/sendAttachMsg',
    'Sends a custom system notification to an account or a team.',
    {
      from: accid('Sender.'),
      msgtype: integer({ summary: '0 one-to-one, 1 team.', required: true, oneOf: [0, 1] }),
      to,
      attach,
      pushcontent,
      payload,
      sound,
      save,
      option: options,
    },
    { data: receipt },
  ),
  notifyBatch: messagingOperation(
    'messages',
    '/msg/sendBatchAttachMsg',
    'Sends a custom system notification to up to 500 accounts.',
    { fromAccid: accid('Sender.'), toAccids: recipients, attach, pushcontent, payload, sound, save, option: options },
    { unregister },
    batch,
  ),
  upload: messagingOperation(
    'messages',
    '/msg/upload',
    'Stores a file given in Base64.',
    { content: text({ summary: 'Base64 of at most 15M.', required: true }), type: fileType },
    { url: text(), channelid: integer({ summary: 'Number for deleteMediaFile.' }) },
  ),
  fileUpload: messagingOperation(
    'messages',
    '/msg/fileUpload',
    'Stores a file given as a part of a multipart form.',
    { content: text({ summary: 'The file part, at most 15M.', required: true }), type: fileType },
    { url: text(), channelid: integer({ summary: 'Number for deleteMediaFile.' }) },
    { encoding: 'multipart' },
  ),
  recall: messagingOperation(
    'messages',
    '/msg/recall',
    'Takes a message back.',
    {
      deleteMsgid: integer({ summary: 'Id of the message.', required: true, min: 1 }),
      timetag: integer({ summary: 'Time of the message in ms.', required: true, min: 0 }),
      type: integer({ summary: '7 one-to-one, 8 team.', required: true, oneOf: [7, 8] }),
      from: accid('Sender of the message.'),
      to,
      msg: text({ summary: 'Why.', max: 1024 }),
      ignoreTime: integer({
        summary: '1 however old the message is, as long as it is kept.',
        oneOf: [0, 1],
        default: 0,
      }),
    },
    {},
  ),
} as const

const limit = integer({ summary: 'Entries at most, 1 to 100.', required: true, min: 1, max: 100 })
const window = {
  begintime: integer({ summary: 'Begin in ms.', default: 0, min: 0 }),
  endtime: integer({ summary: 'End in ms; now when absent.', min: 0 }),
} as const
const reverse = integer({ summary: '1 ascending by time, 2 descending.', oneOf: [1, 2], default: 2 })
const types = text({
  summary: 'Types of message, separated by commas, such as 0,1; all when absent.',
  max: 64,
  pattern: '^\\d{1,3}(\\s*,\\s*\\d{1,3})*$',
  allowed: 'numbers separated by commas, such as 0,1',
})
const entries = {
  size: integer(),
  msgs: list(
    object({
      msgid: integer(),
      sendtime: integer(),
      type: integer({ summary: 'As sent; 5 is a team notification.' }),
      from: text({ optional: true }),
      body: object({}, { summary: 'As by type.' }),
      ext: text({ optional: true }),
    }),
  ),
} as const

/** Operations on the history (2-messaging History). */
export const history = {
  session: messagingOperation(
    'history',
    '/history/querySessionMsg',
    'Reads messages between two accounts.',
    {
      from: accid('The account that asks; it sees what it sent, whoever got it.'),
      to: accid('The other account.'),
      ...window,
      limit,
      reverse,
      type: types,
    },
    entries,
  ),
  team: messagingOperation(
    'history',
    '/history/queryTeamMsg',
    'Reads messages of a team.',
    {
      tid: text({ summary: 'Team.', required: true, max: 128 }),
      accid: accid('The account that asks; a member.'),
      ...window,
      limit,
      reverse,
      type: types,
    },
    entries,
  ),
  userEvents: messagingOperation(
    'history',
    '/history/queryUserEvents',
    'Reads log-ins and log-outs of an account.',
    { accid: accid('The account.'), ...window, limit, reverse },
    {
      size: integer(),
      events: list(
        object({
          accid: text(),
          timestamp: integer({ summary: 'In ms.' }),
          eventType: integer({ summary: '2 login, 3 logout.' }),
          clientIp: text(),
          sdkVersion: text(),
          clientType: text(),
          code: integer({ summary: '200 for success.' }),
        }),
      ),
    },
  ),
  deleteMediaFile: messagingOperation(
    'history',
    '/history/deleteMediaFile',
    'Deletes an uploaded file.',
    { channelid: integer({ summary: 'Number of the file.', required: true, min: 1 }) },
    {},
    { rates: [perMinute('application', 300)] },
  ),
} as const
