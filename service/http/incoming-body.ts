import type { IncomingMessage } from 'node:http'
import { Transform, type Readable } from 'node:stream'

/** Largest upload in bytes; beyond it 413 (behaviour.md#files). */
export const maxUploadBody = 48 * 1024 * 1024

/** A streamed body. */
export interface IncomingBody {
  /** Content-Type as sent, or empty. */
  readonly type: string
  /** Fails beyond `maxUploadBody` and when the client disconnects. */
  readonly stream: Readable
}

/** A streamed body with a size limit. */
export interface BoundedBody extends IncomingBody {
  exceeded(): boolean
  /** Discards the rest, so that the connection stays usable. */
  release(): void
}

/** Limits the unread body of a request. */
export function boundBody(request: IncomingMessage, type: string, maxBytes = maxUploadBody): BoundedBody {
  let bytes = 0
  let tooLong = Number(request.headers['content-length'] ?? 0) > maxBytes
  const tooLarge = (): Error => new Error(`the body has more than ${maxBytes} bytes`)
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > maxBytes) tooLong = true
      if (tooLong) done(tooLarge())
      else done(null, chunk)
    },
  })
  const gone = (): void => void (request.complete || stream.destroy(new Error('the caller is gone')))
  request.once('error', gone).once('close', gone)
  // An abandoned body may still fail.
  stream.on('error', () => undefined)
  if (tooLong) stream.destroy(tooLarge())
  else request.pipe(stream)
  return {
    type,
    stream,
    exceeded: () => tooLong,
    release() {
      request.unpipe(stream)
      stream.destroy()
      request.resume()
    },
  }
}
