import { flag, integer, list, object, text } from '../field.ts'
import { accid, accidElement, messagingOperation } from './messaging.ts'

const account = accid('The account.')
const props = text({ summary: 'JSON attributes.', max: 1024 })
const token = text({ summary: 'The password of the account; made when absent.', max: 128, secret: true })
const name = text({ summary: 'Nickname.', max: 64 })
const icon = text({ summary: 'Address of the avatar.', max: 1024, clearable: true })

/** Accounts per `getUinfos` (2-messaging Limits). */
export const maxCards = 200
/** Genders of a user card: 0 unknown, 1 male, 2 female (2-messaging User card). */
export const genders = [0, 1, 2] as const

/** A mainland phone number; cards store no other (2-messaging User card). */
export const mainlandMobile = '^(\\+?86-?)?1[3-9][0-9]{9}$'

/** Changeable card fields besides name and icon. */
const cardParameters = {
  sign: text({ summary: 'Signature.', max: 256, clearable: true }),
  email: text({ max: 64, pattern: '^[^\\s@]+@[^\\s@]+$', allowed: 'an address such as ann@example.com' }),
  birth: text({ summary: 'Birthday.', max: 16 }),
  mobile: text({ summary: 'A number of the mainland; another one is not kept, and the rest of the card is.', max: 32 }),
  gender: integer({ summary: '0 unknown, 1 male, 2 female.', oneOf: genders }),
  ex: text({ summary: 'Extension, JSON recommended.', max: 1024, clearable: true }),
} as const

/** A user card in answers, without unset members (behaviour.md#answers-of-messaging). */
export const cardMembers = {
  accid: text(),
  name: text({ optional: true }),
  icon: text({ optional: true }),
  sign: text({ optional: true }),
  email: text({ optional: true }),
  birth: text({ optional: true }),
  mobile: text({ optional: true }),
  gender: integer({ optional: true }),
  ex: text({ optional: true }),
} as const

/** Operations on accounts and their cards (2-messaging Accounts). */
export const accounts = {
  create: messagingOperation(
    'accounts',
    '/user/create',
    'Registers an account.',
    { accid: account, name, props, icon, token, ...cardParameters },
    { info: object({ token: text({ secret: true }), accid: text(), name: text() }) },
  ),
  update: messagingOperation(
    'accounts',
    '/user/update',
    'Changes attributes or the token of an account.',
    { accid: account, props, token },
    {},
  ),
  refreshToken: messagingOperation(
    'accounts',
    '/user/refreshToken',
    'Makes a new token for new log-ins.',
    { accid: account },
    { info: object({ token: text({ secret: true }), accid: text() }) },
  ),
  block: messagingOperation(
    'accounts',
    '/user/block',
    'Keeps an account from logging in.',
    { accid: account, needkick: flag({ summary: 'A connected user is disconnected too.', default: false }) },
    {},
  ),
  unblock: messagingOperation(
    'accounts',
    '/user/unblock',
    'Lets a blocked account log in again.',
    { accid: account },
    {},
  ),
  updateUinfo: messagingOperation(
    'accounts',
    '/user/updateUinfo',
    'Changes the user card.',
    {
      accid: account,
      name,
      icon,
      ...cardParameters,
    },
    {},
  ),
  getUinfos: messagingOperation(
    'accounts',
    '/user/getUinfos',
    'Reads user cards; unknown accounts are left out.',
    { accids: list(accidElement, { summary: 'Accounts.', required: true, min: 1, max: maxCards }) },
    { uinfos: list(object({ ...cardMembers, valid: flag({ summary: 'It is not blocked.' }) })) },
  ),
  setDonnop: messagingOperation(
    'accounts',
    '/user/setDonnop',
    'Sets whether a phone gets no push while a desktop client is online.',
    { accid: account, donnopOpen: flag({ required: true }) },
    {},
  ),
} as const

const faccid = accid('The other account.')

/** Operations on friends (2-messaging Friend relations). */
export const friends = {
  add: messagingOperation(
    'friends',
    '/friend/add',
    'Makes, requests, accepts or rejects a friendship.',
    {
      accid: account,
      faccid,
      type: integer({ summary: '1 at once, 2 request, 3 accept, 4 reject.', required: true, oneOf: [1, 2, 3, 4] }),
      msg: text({ summary: 'Text of the request.', max: 256 }),
    },
    {},
  ),
  update: messagingOperation(
    'friends',
    '/friend/update',
    'Changes the alias of a friend.',
    { accid: account, faccid, alias: text({ max: 128, clearable: true }), ex: text({ max: 256, clearable: true }) },
    {},
  ),
  remove: messagingOperation('friends', '/friend/delete', 'Ends a friendship.', { accid: account, faccid }, {}),
  get: messagingOperation(
    'friends',
    '/friend/get',
    'Lists friends changed since a time.',
    {
      accid: account,
      createtime: integer({ summary: 'Since when, in ms; all when absent.', min: 0 }),
      updatetime: integer({ summary: 'Another name of createtime.', min: 0 }),
    },
    {
      size: integer(),
      friends: list(
        object({ faccid: text(), createtime: integer(), bidirection: flag(), alias: text({ optional: true }) }),
      ),
    },
  ),
} as const

/** Operations on the blacklist and the mute list (2-messaging Blacklist and mute). */
export const relations = {
  set: messagingOperation(
    'relations',
    '/user/setSpecialRelation',
    'Puts an account on the blacklist or the mute list of another, or takes it off.',
    {
      accid: account,
      targetAcc: accid('The account to blacklist or mute.'),
      relationType: integer({ summary: '1 blacklist, 2 mute list.', required: true, oneOf: [1, 2] }),
      value: integer({ summary: '1 add, 0 remove.', required: true, oneOf: [0, 1] }),
    },
    {},
  ),
  list: messagingOperation(
    'relations',
    '/user/listBlackAndMuteList',
    'Lists the blacklist and the mute list of an account.',
    { accid: account },
    { mutelist: list(text()), blacklist: list(text()) },
  ),
} as const
