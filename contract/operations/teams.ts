import type { Code } from '../errors.ts'
import { flag, integer, list, object, text, type Fields } from '../field.ts'
import type { RateRule } from '../operation.ts'
import {
  accid,
  accidAllowed,
  accidElement,
  accidPattern,
  blockSeconds,
  messagingCodes,
  messagingOperation,
  perMinute,
} from './messaging.ts'

/** Accounts per `create` or `add`, and per `addManager` or `removeManager` (2-messaging Limits). */
export const maxTeamCall = { members: 200, admins: 10 } as const

const tid = text({ summary: 'Team.', required: true, max: 128 })
const owner = accid('Owner, or who acts.')
const announcement = text({ max: 1024, clearable: true })
const intro = text({ max: 512, clearable: true })
const custom = text({ summary: 'Extension attributes.', max: 1024, clearable: true })
const icon = text({ summary: 'Address of the avatar.', max: 1024, clearable: true })
const msg = text({ summary: 'Text of the invitation.', max: 150 })
const attach = text({ summary: 'Extension of the notification.', max: 512 })
const magree = integer({ summary: '0 members at once, 1 they must agree.', oneOf: [0, 1], default: 0 })
const mode = (summary: string) => integer({ summary, oneOf: [0, 1] })
const modes = {
  joinmode: integer({ summary: '0 no verification, 1 verification, 2 nobody.', oneOf: [0, 1, 2] }),
  custom,
  icon,
  beinvitemode: mode('0 an invitee must agree, 1 need not.'),
  invitemode: mode('Who invites: 0 admins, 1 everyone.'),
  uptinfomode: mode('Who changes the team: 0 admins, 1 everyone.'),
  upcustommode: mode('Who changes custom: 0 admins, 1 everyone.'),
} as const
const teamMemberLimit = integer({
  summary: 'Members at most, the owner included; what the application allows when absent.',
  min: 2,
})
const members = list(accidElement, {
  summary: 'Accounts; the owner is left out.',
  required: true,
  min: 1,
  max: maxTeamCall.members,
})
const admins = list(accidElement, {
  summary: 'Accounts; the owner is left out.',
  required: true,
  min: 1,
  max: maxTeamCall.admins,
  maxText: 1024,
})
const withCodes = (...more: Code[]): Code[] => [...messagingCodes, ...more]

/** Rate of all team operations together, per address (2-messaging Limits). */
const together: RateRule = { ...perMinute('address', 600), shared: 'team' }
const teamOperation = <const P extends Fields, const A extends Fields>(
  path: string,
  summary: string,
  parameters: P,
  answer: A,
  {
    codes = messagingCodes,
    rates = [],
  }: { readonly codes?: readonly Code[]; readonly rates?: readonly RateRule[] } = {},
) => messagingOperation('teams', `/team/${path}`, summary, parameters, answer, { codes, rates: [together, ...rates] })

/** Operations on teams (2-messaging Advanced groups). */
export const teams = {
  create: teamOperation(
    'create',
    'Creates a team.',
    {
      tname: text({ summary: 'Name.', required: true, max: 64 }),
      owner,
      members,
      announcement,
      intro,
      msg,
      magree,
      ...modes,
      teamMemberLimit,
    },
    { tid: text() },
    { codes: withCodes(801, 806) },
  ),
  add: teamOperation(
    'add',
    'Pulls accounts in, or invites them.',
    { tid, owner, members, magree, msg, attach },
    {},
    { codes: withCodes(801) },
  ),
  kick: teamOperation(
    'kick',
    'Puts a member out.',
    {
      tid,
      owner,
      member: text({
        summary: 'The member; needed without members.',
        max: 32,
        pattern: accidPattern,
        allowed: accidAllowed,
        fold: true,
      }),
      members: list(accidElement, { summary: 'Members, instead of one.', min: 1, max: maxTeamCall.members }),
      attach,
    },
    {},
  ),
  remove: teamOperation('remove', 'Dissolves a team.', { tid, owner }, {}),
  update: teamOperation(
    'update',
    'Changes a team.',
    { tid, tname: text({ summary: 'Name.', max: 64 }), owner, announcement, intro, ...modes, teamMemberLimit },
    {},
  ),
  query: teamOperation(
    'query',
    'Reads up to 30 teams.',
    {
      tids: list(text({ max: 128 }), { summary: 'Teams.', required: true, min: 1, max: 30 }),
      ope: integer({ summary: '1 with members, 0 without.', required: true, oneOf: [0, 1] }),
      ignoreInvalid: flag({
        summary: 'Teams that do not exist are left out instead of being refused.',
        default: false,
      }),
    },
    {
      tinfos: list(
        object({
          tid: integer(),
          tname: text(),
          owner: text(),
          announcement: text({ optional: true }),
          intro: text({ optional: true }),
          maxusers: integer(),
          size: integer(),
          joinmode: integer(),
          custom: text({ optional: true }),
          icon: text({ optional: true }),
          mute: flag({ summary: 'Somebody may not send.' }),
          muteType: integer({ summary: '0 nobody is muted, 1 ordinary members, 3 everybody but the owner.' }),
          beinvitemode: integer(),
          invitemode: integer(),
          uptinfomode: integer(),
          upcustommode: integer(),
          createtime: integer({ summary: 'In ms.' }),
          updatetime: integer({ summary: 'In ms.' }),
          admins: list(text(), { optional: true }),
          members: list(text(), { optional: true }),
        }),
      ),
    },
    { rates: [perMinute('application', 30, blockSeconds)] },
  ),
  changeOwner: teamOperation(
    'changeOwner',
    'Hands a team over.',
    {
      tid,
      owner,
      newowner: accid('The new owner; a member.'),
      leave: integer({ summary: 'The former owner 1 leaves, 2 stays as a member.', required: true, oneOf: [1, 2] }),
    },
    {},
    { codes: withCodes(806) },
  ),
  addManager: teamOperation('addManager', 'Makes members admins.', { tid, owner, members: admins }, {}),
  removeManager: teamOperation('removeManager', 'Makes admins ordinary members.', { tid, owner, members: admins }, {}),
  joinTeams: teamOperation(
    'joinTeams',
    'Lists the teams of an account.',
    { accid: accid('The account.') },
    {
      count: integer(),
      infos: list(
        object({ owner: text(), tname: text(), maxusers: integer(), tid: integer(), size: integer(), custom: text() }),
      ),
    },
  ),
  updateTeamNick: teamOperation(
    'updateTeamNick',
    'Sets the nickname of a member.',
    { tid, owner, accid: accid('The member.'), nick: text({ max: 32 }) },
    {},
  ),
  muteTeam: teamOperation(
    'muteTeam',
    'Switches message reminders of a team for a member.',
    { tid, accid: accid('The member.'), ope: integer({ summary: '1 off, 2 on.', required: true, oneOf: [1, 2] }) },
    {},
  ),
  muteTlist: teamOperation(
    'muteTlist',
    'Mutes a member.',
    {
      tid,
      owner,
      accid: accid('The member.'),
      mute: integer({ summary: '1 mute, 0 lift.', required: true, oneOf: [0, 1] }),
    },
    {},
  ),
  leave: teamOperation('leave', 'Leaves a team.', { tid, accid: accid('The member.') }, {}),
  muteTlistAll: teamOperation(
    'muteTlistAll',
    'Mutes all ordinary members, or everybody but the owner.',
    {
      tid,
      owner,
      mute: flag({ summary: 'true mute ordinary members, false lift; wins over muteType.' }),
      muteType: integer({
        summary: '0 lift, 1 mute ordinary members, 3 everybody but the owner; needed without mute.',
        oneOf: [0, 1, 3],
      }),
    },
    {},
  ),
  listTeamMute: teamOperation(
    'listTeamMute',
    'Lists muted members.',
    { tid, owner },
    {
      mutes: list(
        object({
          nick: text(),
          accid: text(),
          tid: integer(),
          type: integer({ summary: '0 ordinary, 1 owner, 2 admin.' }),
        }),
      ),
    },
  ),
} as const
