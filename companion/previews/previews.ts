import { createHmac } from 'node:crypto'
import { live } from '../../contract/operations/index.ts'
import { ownPreviewMark } from '../../contract/own-preview.ts'
import type { Client } from '../client/client.ts'
import type { Clock } from '../../platform/clock.ts'
import { Failure } from '../failure.ts'
import { isLocal, type Profiles } from '../profiles/profiles.ts'
import type { Recordings } from '../recordings/recordings.ts'
import type { RouterPorts } from '../rpc/ports.ts'
import type { Supervisor } from '../supervisor/supervisor.ts'
import { allowedReach, type Resolve } from '../relay/target.ts'
import type { GrantedFile, TicketOwner, Tickets } from '../relay/tickets.ts'

/** Paths on the page's origin for streams and files. Throws Failure. */
type Previews = Pick<RouterPorts, 'preview' | 'play' | 'showFile'>

interface PreviewPorts {
  readonly clock: Pick<Clock, 'now'>
  readonly tickets: Pick<Tickets, 'issue'>
  readonly profiles: Pick<Profiles, 'service' | 'find' | 'isExtended'>
  readonly client: (profileId: string) => Promise<Client>
  readonly recordings: Pick<Recordings, 'file'>
  readonly supervisor: Pick<Supervisor, 'ready' | 'state'>
  readonly resolve: Resolve
}

const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex')
const pull = (text: string): URL | undefined =>
  URL.canParse(text) && /^https?:/.test(text) ? new URL(text) : undefined

/** Makes them; a path is valid until its owner's page is gone. */
export function createPreviews(ports: PreviewPorts): Previews {
  const { clock, tickets, profiles, client, recordings, supervisor } = ports
  /** The local form of a public address: its proxy may be unavailable. */
  const ownAddress = (text: string): string => {
    const { media, publicMedia } = supervisor.state().addresses ?? {}
    return media !== undefined && publicMedia != null && text.startsWith(`${publicMedia}/`)
      ? media + text.slice(publicMedia.length)
      : text
  }
  /** Services elsewhere that are our own may be a cluster. */
  const isLed = (profileId: string): boolean => !isLocal(profileId) && profiles.isExtended(profileId)
  const showFile = async (
    profileId: string,
    file: GrantedFile,
    reach: URL,
    owner: TicketOwner,
  ): Promise<{ path: string }> => {
    const allowed = await allowedReach(reach, ports.resolve)
    const grant = { profileId, cid: '', flv: undefined, hls: undefined, file, allowed, isLed: isLed(profileId) }
    const ticket = tickets.issue(grant, owner)
    return { path: `/media/${ticket.id}/${file.name}` }
  }
  return {
    play: async (profileId, vid, owner) => {
      const [{ liveUrl }, file] = await Promise.all([profiles.service(profileId), recordings.file(profileId, vid)])
      return showFile(profileId, file, new URL(liveUrl), owner)
    },
    showFile: async (profileId, text, owner) => {
      const media = isLocal(profileId) ? supervisor.ready()?.mediaUrl : profiles.find(profileId).media
      const own = isLocal(profileId) ? ownAddress(text) : text
      const url = URL.canParse(own) ? new URL(own) : undefined
      // Only files of the service itself: another host would learn who looks.
      if (media == null || url?.origin !== new URL(media).origin || !/^\/files\/[A-Za-z0-9_-]{32}$/.test(url.pathname))
        throw new Failure('absent', 'only files of the service itself are shown')
      const reach = isLocal(profileId) ? url : new URL((await profiles.service(profileId)).liveUrl)
      return showFile(profileId, { name: 'file', url: () => Promise.resolve(url) }, reach, owner)
    },
    preview: async (profileId, cid, owner) => {
      const { liveUrl, appSecret } = await profiles.service(profileId)
      const { ret } = await (await client(profileId)).call(live.address, { cid })
      const reached = isLocal(profileId) ? ownAddress : (text: string): string => text
      const [flv, hls] = [pull(reached(ret.httpPullUrl)), pull(reached(ret.hlsPullUrl))]
      // Own previews are not viewers.
      const mark = profiles.isExtended(profileId)
        ? () => ownPreviewMark(hmac, appSecret, cid, Math.floor(clock.now() / 1000))
        : undefined
      const allowed = await allowedReach(new URL(liveUrl), ports.resolve)
      const ticket = tickets.issue({ profileId, cid, flv, hls, mark, allowed, isLed: isLed(profileId) }, owner)
      return {
        flv: flv ? `/media/${ticket.id}/${cid}.flv` : null,
        hls: hls ? `/media/${ticket.id}/hls/playlist.m3u8` : null,
      }
    },
  }
}
