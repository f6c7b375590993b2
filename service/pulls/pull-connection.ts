import { get as getPlain, type ClientRequest } from 'node:http'
import { get as getSecure } from 'node:https'
import { FlvReader, type FlvTag } from '../media/flv-reader.ts'
import { readAudioTag, readVideoTag } from '../media/flv-tags.ts'
import { ownAuthority } from '../own-authority.ts'
import { isOfCertificate } from '../speaks-tls.ts'
import type { MediaPacket } from '../timeline/packet.ts'

/** A connection over which nothing comes for so long is over; a held picture is sent once a second. In ms. */
const silenceLimit = 5000

const metadataName = Buffer.from([2, 0, 10, ...Buffer.from('onMetaData')])

function packetOf({ kind, timestamp, body }: FlvTag, arrived: number): MediaPacket | undefined {
  if (kind === 'data') {
    const configuration = body.subarray(0, metadataName.length).equals(metadataName)
    return { kind, timestamp, body, keyFrame: false, configuration, arrived }
  }
  const content = kind === 'video' ? readVideoTag(body) : readAudioTag(body)
  if (content.kind !== 'media') return undefined
  const { keyFrame, configuration } = content
  return { kind, timestamp, body: content.body, keyFrame, configuration, arrived }
}

/** Node itself would name a switch, which no node is started with. */
const faultOf = ({ code, message }: NodeJS.ErrnoException): string =>
  isOfCertificate(code) ? `the certificate of the node is not accepted (${code}); ${ownAuthority}` : message

/**
 * Reads a push from the node that has it, as HTTP-FLV; redirects are not followed. `ended` is called once, with what
 * went wrong or without, as the stream ended; not after the returned function, which ends it.
 */
export function connectPull(
  address: { readonly url: string; readonly grant: string },
  now: () => number,
  events: { readonly packet: (packet: MediaPacket) => void; readonly ended: (fault?: string) => void },
): () => void {
  let isOver = false
  let request: ClientRequest | undefined
  const end = (fault?: string): void => {
    if (isOver) return
    isOver = true
    request?.destroy()
    events.ended(fault)
  }
  const reader = new FlvReader((tag) => {
    const packet = isOver ? undefined : packetOf(tag, now())
    if (packet) events.packet(packet)
  })
  const get = address.url.startsWith('https:') ? getSecure : getPlain
  request = get(
    address.url,
    { agent: false, timeout: silenceLimit, headers: { authorization: `Bearer ${address.grant}` } },
    (response) => {
      if (response.statusCode !== 200) return end(`HTTP ${response.statusCode}`)
      response.on('data', (bytes: Buffer) => {
        try {
          reader.push(bytes)
        } catch (error) {
          end((error as Error).message)
        }
      })
      response.once('end', () => end())
      response.once('error', (error) => end(error.message))
    },
  )
  request.once('timeout', () => end('nothing came'))
  request.on('error', (error) => end(faultOf(error)))
  return () => {
    isOver = true
    request.destroy()
  }
}
