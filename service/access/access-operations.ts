import { readEmbedOrigin } from '../../contract/embed-origin.ts'
import { foundFaults } from '../../contract/found-faults.ts'
import { passphraseLength, type accessModes } from '../../contract/operations/access.ts'
import { local } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import type { Application } from '../applications.ts'
import type { Channels } from '../channels/channels.ts'
import { ownChannel } from '../channels/live-operations.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import { inForce } from '../storage/held-writes.ts'
import type { Access } from './access.ts'
import type { LinkRow } from './access-store.ts'
import { accessFactsOf } from './access-facts.ts'
import type { Passphrases } from './passphrases.ts'
import type { Players } from './players.ts'
import type { WatchLimits } from './watch-limits.ts'

/** Characters of a token that tell links apart. */
const endingLength = 4

/** Handlers of contract/operations/access.ts. */
export function accessOperations(options: {
  readonly access: Access
  readonly limits: WatchLimits
  readonly players: Players
  readonly passphrases: Passphrases
  readonly channels: Pick<Channels, 'get'>
  readonly addresses: () => { readonly media: string; readonly rtmp: string }
  readonly now: () => number
}): Served[] {
  const { access, limits, players, passphrases, channels, addresses, now } = options
  const toCome = (operation: Operation, name: string, time: number | undefined): void => {
    if (time !== undefined && time <= now())
      throw new Refused(operation.invalid, `${name} ${foundFaults.past} (now it is ${now()})`)
  }
  const own = (operation: Operation, application: Application, cid: string): string =>
    ownChannel(channels, operation, application, cid).row.cid
  const facts = (cid: string) => accessFactsOf(access, players, cid)
  const listed = (link: LinkRow) => ({
    linkId: link.linkId,
    name: link.name,
    ending: access.token(link.cid, link.linkId).slice(-endingLength),
    created: link.created,
    viewers: players.ofLink(link.cid, link.linkId),
    ...(link.expires !== null && { expires: link.expires }),
    ...(link.maxViewers !== null && { maxViewers: link.maxViewers }),
    ...(link.lastUsed !== null && { lastUsed: link.lastUsed }),
    ...(link.lastUsedBy !== null && link.lastUsedBy !== '' && { lastUsedBy: link.lastUsedBy }),
    ...(link.revoked !== null && { revoked: link.revoked }),
    ...(link.ended !== null && { ended: link.ended }),
  })
  const unknownLink = (operation: Operation): never => {
    throw new Refused(operation.unknown, 'this channel has no such link')
  }
  const pageOf = (cid: string, linkId: number): string =>
    `${addresses().media}/watch/${cid}/${access.token(cid, linkId)}`

  return [
    serve(local.access, ({ cid }, { application }) => {
      own(local.access, application, cid)
      return { ret: { ...facts(cid), links: access.links(cid).map(listed) } }
    }),
    serve(local.updateAccess, async ({ cid, mode, passphrase, closed, embedOrigins }, { application }) => {
      own(local.updateAccess, application, cid)
      const length = passphrase === undefined ? passphraseLength.min : [...passphrase].length
      if (length < passphraseLength.min)
        throw new Refused(local.updateAccess.invalid, `a passphrase has at least ${passphraseLength.min} characters`)
      const origins = embedOrigins?.map(readEmbedOrigin)
      if (origins?.includes(undefined))
        throw new Refused(
          local.updateAccess.invalid,
          'embedOrigins takes origins such as https://example.org; http:// for hosts of this computer alone',
        )
      const made = await access.update(cid, {
        mode: mode as (typeof accessModes)[number] | undefined,
        closed,
        passphrase: passphrase === undefined ? undefined : await passphrases.hash(passphrase),
        embedOrigins: origins && [...new Set(origins.filter((origin) => origin !== undefined))],
      })
      if (made === 'needsPassphrase') throw new Refused(local.updateAccess.invalid, 'this mode needs a passphrase')
      return { ret: { ...facts(cid), ended: made.ended }, ...inForce(made.owed) }
    }),
    serve(local.addNamedLink, async ({ cid, name, expires, maxViewers }, { application }) => {
      own(local.addNamedLink, application, cid)
      toCome(local.addNamedLink, 'expires', expires)
      const linkId = await access.addLink(cid, { name, expires, maxViewers })
      if (linkId === 'full') throw new Refused(local.addNamedLink.invalid, 'this channel has too many links')
      return { ret: { linkId, url: pageOf(cid, linkId) } }
    }),
    serve(local.namedLinkAddress, ({ cid, linkId }, { application }) => {
      own(local.namedLinkAddress, application, cid)
      if (!access.link(cid, linkId)) return unknownLink(local.namedLinkAddress)
      const { media, rtmp } = addresses()
      const query = `?link=${access.token(cid, linkId)}`
      return {
        ret: {
          url: pageOf(cid, linkId),
          flv: `${media}/live/${cid}.flv${query}`,
          hls: `${media}/live/${cid}/playlist.m3u8${query}`,
          rtmp: `${rtmp}/live/${cid}${query}`,
        },
      }
    }),
    serve(local.revokeNamedLink, async ({ cid, linkId }, { application }) => {
      own(local.revokeNamedLink, application, cid)
      const made = await access.revokeLink(cid, linkId)
      if (made === 'unknown') return unknownLink(local.revokeNamedLink)
      return { ret: { ended: made.ended }, ...inForce(made.owed) }
    }),
    serve(local.restoreNamedLink, async ({ cid, linkId }, { application }) => {
      own(local.restoreNamedLink, application, cid)
      if (await access.restoreLink(cid, linkId)) return unknownLink(local.restoreNamedLink)
      return {}
    }),
    serve(local.removeNamedLink, async ({ cid, linkId }, { application }) => {
      own(local.removeNamedLink, application, cid)
      const fault = await access.removeLink(cid, linkId)
      if (fault === 'unknown') return unknownLink(local.removeNamedLink)
      if (fault === 'used') throw new Refused(local.removeNamedLink.invalid, 'the link is good: revoke it first')
      return {}
    }),
    serve(local.watchLimits, (_parameters, { application: { uid } }) => ({
      ret: { ...limits.of(uid), ...limits.figures(uid) },
    })),
    serve(local.updateWatchLimits, async (changes, { application: { uid } }) => {
      await limits.update(uid, changes)
      return {}
    }),
    serve(local.schedule, ({ cid }, { application }) => {
      own(local.schedule, application, cid)
      const { next, nextTitle } = access.row(cid)
      return { ret: { ...(next !== null && { next }), ...(nextTitle !== null && { title: nextTitle }) } }
    }),
    serve(local.setSchedule, async ({ cid, next, title = '' }, { application }) => {
      own(local.setSchedule, application, cid)
      toCome(local.setSchedule, 'next', next)
      await access.schedule(cid, next, title)
      return {}
    }),
    serve(local.setNextTitle, async ({ cid, title = '' }, { application }) => {
      own(local.setNextTitle, application, cid)
      await access.nameNext(cid, title)
      return {}
    }),
  ]
}
