import { teamNoticeCopy, teamRequestCopy } from '../../contract/callbacks/copy-builders.ts'
import type { ConversationCopy } from '../../contract/callbacks/copy.ts'
import type { AccountTable, TeamTable } from '../storage/messaging-tables.ts'
import type { SequencePosition, NewEvent } from '../events/event.ts'
import type { Actor, SomeTeamFields } from './team.ts'

/** Team events by the number in notifications (3-chatrooms Group notifications). */
export const teamOpes = {
  pulledIn: 0,
  kicked: 1,
  left: 2,
  updated: 3,
  dissolved: 4,
  applied: 5,
  handedOver: 6,
  adminAdded: 7,
  adminRemoved: 8,
  accepted: 9,
} as const

/** A user card in teams; unset members are empty or absent, times in ms. */
export type TeamCard = Readonly<
  Pick<AccountTable, 'name' | 'created'> &
    Partial<Pick<AccountTable, 'icon' | 'sign' | 'gender' | 'email' | 'birth' | 'mobile' | 'ex'>>
>
type CardOf = (accid: string) => TeamCard | undefined

/** An event with its copy. */
export interface TeamEvent {
  readonly event: Omit<NewEvent, 'within' | 'stored'>
  readonly copy: (place: SequencePosition) => ConversationCopy
}

/** An object without empty members, values as strings. */
function filled(values: Readonly<Record<number, string | number | undefined>>): Record<string, string> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]))
}

const announcementsOf = ({ announcement, announcer, announced }: TeamTable): string =>
  announcement === ''
    ? ''
    : JSON.stringify([{ title: '', content: announcement, creator: announcer, time: Math.floor(announced / 1000) }])

/** Keys of `tinfo` for changeable fields (3-chatrooms tinfo). */
const fieldKeys = (
  row: TeamTable,
): Record<Exclude<keyof SomeTeamFields, 'memberLimit'>, readonly [number, string | number]> => ({
  tname: [3, row.tname],
  intro: [14, row.intro],
  announcement: [15, announcementsOf(row)],
  joinmode: [16, row.joinmode],
  custom: [18, row.custom],
  icon: [20, row.icon],
  beinvitemode: [21, row.beinvitemode],
  invitemode: [22, row.invitemode],
  uptinfomode: [23, row.uptinfomode],
  upcustommode: [24, row.upcustommode],
})

/** A team as `tinfo`, values as strings; without unset texts. */
export const tinfoOf = (row: TeamTable, size: number): Record<string, string> =>
  filled({
    1: row.tid,
    4: 1,
    5: row.owner,
    8: 1,
    9: size,
    10: row.membersUpdated,
    11: row.created,
    12: row.updated,
    ...Object.fromEntries(Object.values(fieldKeys(row))),
  })

/** Changed fields as `tinfo`, with number and time; a cleared text is empty. */
export function changedTinfo(row: TeamTable, changes: SomeTeamFields): Record<string, string> {
  const keys = fieldKeys(row)
  // The limit of members has no key.
  const changed = (Object.keys(changes) as (keyof SomeTeamFields)[]).flatMap((name) =>
    name === 'memberLimit' ? [] : [keys[name]],
  )
  return {
    ...filled({ 1: row.tid, 12: row.updated }),
    ...Object.fromEntries(changed.map(([key, value]) => [key, String(value)])),
  }
}

/** Accounts as `uinfos`, in order. */
export const uinfosOf = (accids: readonly string[], cardOf: CardOf): Record<string, string>[] =>
  accids.map((accid) => {
    const card = cardOf(accid)
    return filled({
      1: accid,
      3: card?.name,
      4: card?.icon,
      5: card?.sign,
      6: card?.gender ?? undefined,
      7: card?.email,
      8: card?.birth,
      9: card?.mobile,
      10: card?.ex,
      12: card?.created,
    })
  })

/** A notification: contents of its `data`, history body and copy. */
export interface Notice {
  readonly ope: (typeof teamOpes)[keyof typeof teamOpes]
  /** The team after it. */
  readonly row: TeamTable
  readonly actor: Actor
  /** Accounts concerned; also `data.ids` where the operation has a list. */
  readonly accids?: readonly string[]
  /** The account of operations with `data.id`. */
  readonly id?: string
  readonly tinfo?: Record<string, string>
  /** Accounts of `uinfos`. */
  readonly cards: readonly string[]
  /** `tMembers` of the copy. */
  readonly told: readonly string[]
  /** Receivers that are no longer members. */
  readonly extraRecipients?: readonly string[]
  /** Changed fields of the history body. */
  readonly changes?: Readonly<Record<string, string | number | boolean>>
  /** The caller's extension. */
  readonly attach?: string | undefined
}

const withIds: ReadonlySet<number> = new Set([
  teamOpes.pulledIn,
  teamOpes.kicked,
  teamOpes.adminAdded,
  teamOpes.adminRemoved,
])

/** Makes a notification: a message of type 5 (2-messaging History), kept but neither pushed nor counted as unread. */
export function noticeEvent(
  { ope, row, actor, accids, id, tinfo, cards, told, extraRecipients, changes, attach }: Notice,
  cardOf: CardOf,
): TeamEvent {
  const nick = cardOf(actor.accid)?.name
  const uinfos = uinfosOf(cards, cardOf)
  const to = String(row.tid)
  const time = Math.max(row.updated, row.membersUpdated)
  return {
    event: {
      uid: row.uid,
      from: actor.accid,
      to: { tid: row.tid },
      ...(extraRecipients && { extraRecipients }),
      keep: { history: true, roam: true, offline: true },
      frame: {
        t: 'message',
        scene: 'team',
        from: actor.accid,
        to,
        type: 5,
        body: JSON.stringify({
          tid: row.tid,
          tname: row.tname,
          ope,
          ...(accids && { accids }),
          ...changes,
          updatetime: time,
        }),
        ...(attach !== undefined && { ext: attach }),
        ...(nick && { fromNick: nick }),
        fromClientType: actor.clientType,
        push: false,
        badge: false,
        ...(tinfo && { tinfo }),
        uinfos,
      },
    },
    copy: ({ seq, at }) =>
      teamNoticeCopy({
        to,
        from: actor.accid,
        clientType: actor.clientType,
        device: actor.device,
        nick: nick || undefined,
        at,
        msgid: seq,
        id: ope,
        data: {
          ...(accids && withIds.has(ope) && { ids: accids }),
          ...(id !== undefined && { id }),
          ...(tinfo && { tinfo }),
          uinfos,
        },
        members: told,
        ext: attach,
      }),
  }
}

/** An invitation, an application, or its refusal. */
export interface Request {
  readonly kind: 'TEAM_INVITE' | 'TEAM_INVITE_REJECT' | 'TEAM_APPLY' | 'TEAM_APPLY_REJECT'
  readonly row: TeamTable
  readonly size: number
  readonly actor: Actor
  /** Receivers named in the copy. */
  readonly told: readonly string[]
  /** Those of them that it reaches; all by default. Without any it is hidden. */
  readonly to?: readonly string[]
  readonly msg?: string | undefined
  readonly attach?: string | undefined
}

/** Makes the event of an invitation, application or refusal (3-chatrooms, convType CUSTOM_TEAM). */
export function requestEvent(
  { kind, row, size, actor, told, to = told, msg, attach }: Request,
  cardOf: CardOf,
): TeamEvent {
  const tid = String(row.tid)
  const about = { tid, tname: row.tname, from: actor.accid, ...(msg !== undefined && { msg }) }
  const refused = kind === 'TEAM_INVITE_REJECT' || kind === 'TEAM_APPLY_REJECT'
  return {
    event: {
      uid: row.uid,
      from: actor.accid,
      to: { accids: to.length > 0 ? to : told },
      ...(to.length === 0 && { hidden: true }),
      keep: { history: false, roam: true, offline: true },
      frame: refused
        ? {
            t: 'teamRefused',
            ...about,
            to: told[0]!,
            what: kind === 'TEAM_INVITE_REJECT' ? 'invitation' : 'application',
          }
        : kind === 'TEAM_INVITE'
          ? { t: 'teamInvite', ...about, to: [...told], ...(attach !== undefined && { attach }) }
          : { t: 'teamApply', ...about },
    },
    copy: ({ seq, at }) =>
      teamRequestCopy({
        kind,
        to: tid,
        from: actor.accid,
        clientType: actor.clientType,
        device: actor.device,
        nick: cardOf(actor.accid)?.name || undefined,
        at,
        msgid: seq,
        ...(!refused && { text: msg }),
        ...((kind === 'TEAM_INVITE' || kind === 'TEAM_APPLY_REJECT') && { tinfo: tinfoOf(row, size) }),
        members: told,
      }),
  }
}
