import { flag, integer, list, object, text } from '../field.ts'
import { maxBroadcastTitle } from './broadcasts.ts'
import { extension, general } from './extension.ts'
import { heldAnswer } from './live.ts'

/** Who may watch a channel (behaviour.md#who-may-watch). */
export const accessModes = ['everybody', 'passphrase', 'links'] as const
/** What an embedding page shows of the watch page. */
export const embedParts = ['both', 'picture', 'chat'] as const
/** Characters of a passphrase. */
export const passphraseLength = { min: 4, max: 128 } as const
/** Named links of a channel, and origins that may embed it. */
export const maxNamedLinks = 1000
/** Origins that may embed the watch page of a channel. */
export const maxEmbedOrigins = 32

/** Latest begin of a broadcast, in ms: the end of year 9998, as calendar files have years of four digits. */
const latestNext = 253_370_764_799_999

const cid = text({ summary: 'Channel id.', required: true, max: 64 })
const linkId = integer({ summary: 'A named link.', required: true, min: 1 })
const linkName = { max: 64 } as const
const nextTitle = text({ summary: 'Without it there is none.', max: maxBroadcastTitle })

const namedLink = object({
  linkId: integer(),
  name: text({ summary: 'Whom it was given to.' }),
  ending: text({ summary: 'Last characters of its token, to tell links apart.' }),
  created: integer({ summary: 'In ms.' }),
  expires: integer({ summary: 'Until when it is good, in ms; absent without an end.', optional: true }),
  maxViewers: integer({ summary: 'Players at once; absent without a limit.', optional: true }),
  lastUsed: integer({ summary: 'When a player or page last began with it, in ms.', optional: true }),
  lastUsedBy: text({ summary: 'Program and system of that use, as far as it told: Safari on iPad.', optional: true }),
  viewers: integer({ summary: 'Players now.' }),
  revoked: integer({ summary: 'When it was revoked, in ms.', optional: true }),
  ended: integer({ summary: 'Players that its revocation ended.', optional: true }),
})

/** Facts of who may watch a channel, as answers and events have them; no secret. */
export const accessFacts = {
  mode: text({ summary: `${accessModes.join(', ')}.` }),
  closed: flag({ summary: 'Turned off for everybody: nobody else is let in, whatever the mode.' }),
  passphrase: flag({ summary: 'A passphrase is set.' }),
  embedOrigins: list(text(), { summary: 'Origins whose pages may embed the watch page.' }),
  viewers: integer({ summary: 'Players now, without the own previews.' }),
} as const

/** Limits over all channels and who waits because of them, as answers and events have them. */
export const watchLimitFacts = {
  maxViewers: integer({ summary: 'Players at once; 0 without a limit.' }),
  maxKbps: integer({ summary: 'Upload to viewers and targets together, in kbit/s; 0 without a limit.' }),
  maxGigabytes: integer({ summary: 'Gigabytes (10^9 bytes) of a month; 0 without a limit.' }),
  waiting: integer({ summary: 'Pages that wait for their turn.' }),
} as const

/** Who may watch: modes, passphrase, named links, embedding and limits. */
export const accessOperations = {
  access: extension(
    'access/read',
    'access',
    'Reads who may watch a channel, with its named links, newest first.',
    { cid },
    { ret: object({ ...accessFacts, links: list(namedLink) }) },
  ),
  updateAccess: extension(
    'access/update',
    'access',
    'Changes who may watch a channel; absent members stay. Players that may not watch any more end within 1 s. A ' +
      'stricter mode or a new passphrase renews the link in pull addresses of the API.',
    {
      cid,
      mode: text({ pattern: `^(${accessModes.join('|')})$` }),
      passphrase: text({
        summary: `${passphraseLength.min} to ${passphraseLength.max} characters. Mode passphrase needs one.`,
        max: passphraseLength.max,
        secret: true,
      }),
      closed: flag({ summary: 'Turns the channel off for everybody, or on again.' }),
      embedOrigins: list(text({ max: 256 }), {
        summary: 'Replaces the list: https://example.org, or http:// for a host of this computer.',
        max: maxEmbedOrigins,
      }),
    },
    { ret: object({ ...accessFacts, ended: integer({ summary: 'Players that the change ended.' }) }), ...heldAnswer },
  ),
  addNamedLink: extension(
    'access/addLink',
    'access',
    `Makes a named link, which is good in every mode; ${maxNamedLinks} of a channel.`,
    {
      cid,
      name: text({ required: true, ...linkName }),
      expires: integer({ summary: 'Until when it is good, in ms.', min: 1 }),
      maxViewers: integer({ summary: 'Players at once.', min: 1, max: 1_000_000 }),
    },
    { ret: object({ linkId: integer(), url: text({ summary: 'Its watch page.', secret: true }) }) },
  ),
  namedLinkAddress: extension(
    'access/linkAddress',
    'access',
    'Reads the addresses of a named link.',
    { cid, linkId },
    {
      ret: object({
        url: text({ summary: 'Its watch page.', secret: true }),
        flv: text({ secret: true }),
        hls: text({ secret: true }),
        rtmp: text({ secret: true }),
      }),
    },
  ),
  revokeNamedLink: extension(
    'access/revokeLink',
    'access',
    'Revokes a named link; its players end within 1 s.',
    { cid, linkId },
    { ret: object({ ended: integer({ summary: 'Players that it ended.' }) }), ...heldAnswer },
  ),
  restoreNamedLink: extension(
    'access/restoreLink',
    'access',
    'Undoes the revocation of a named link.',
    { cid, linkId },
    {},
  ),
  removeNamedLink: extension(
    'access/removeLink',
    'access',
    'Deletes a revoked link from the list for good.',
    { cid, linkId },
    {},
  ),
  watchLimits: extension(
    'access/limits',
    'access',
    'Reads the limits of what viewers may take, over all channels, and what was used.',
    {},
    {
      ret: object({
        ...watchLimitFacts,
        viewers: integer({ summary: 'Players now.' }),
        kbps: integer({ summary: 'Upload to viewers and targets over the last 10 s.' }),
        targetsKbps: integer({ summary: 'What of `kbps` goes to targets; it does not count for the month.' }),
        monthBytes: integer({ summary: 'Sent to viewers in this month, in the time zone of the service.' }),
      }),
    },
    general,
  ),
  updateWatchLimits: extension(
    'access/updateLimits',
    'access',
    'Changes the limits; absent members stay, all of them when none is given. Nobody who is watching is put out.',
    {
      maxViewers: integer({ min: 0, max: 1_000_000 }),
      maxKbps: integer({ min: 0, max: 1_000_000_000 }),
      maxGigabytes: integer({ min: 0, max: 10_000_000 }),
    },
    {},
    general,
  ),
  schedule: extension(
    'access/schedule',
    'access',
    'Reads when the next broadcast of a channel begins, as viewers are told, and its title.',
    { cid },
    { ret: object({ next: integer({ summary: 'In ms.', optional: true }), title: text({ optional: true }) }) },
  ),
  setSchedule: extension(
    'access/setSchedule',
    'access',
    'Sets when the next broadcast begins and its title; without a time nothing is announced.',
    { cid, next: integer({ min: 1, max: latestNext }), title: nextTitle },
    {},
  ),
  setNextTitle: extension(
    'access/setNextTitle',
    'access',
    'Sets the title of the next broadcast alone. The one that begins takes it, and the one after that has none; an ' +
      'announced one keeps it until its time.',
    { cid, title: nextTitle },
    {},
  ),
} as const
