import type { IncomingMessage } from 'node:http'
import { Transform, type Readable } from 'node:stream'

/** Largest body of an upload in bytes; beyond it the answer is 413 (behaviour.md#files). */
export const maxUploadBody = 48 * 1024 * 1024

/** A body that is read while it comes. */
export interface IncomingBody {
  /** Content-Type as it was sent; empty when it was not. */
  readonly type: string
  /** Its bytes; fails beyond `maxUploadBody` and when the caller goes. */
  readonly stream: Readable
}

/** A body with its bound. */
export interface BoundedBody extends IncomingBody {
  /** Whether it was longer than allowed. */
  exceeded(): boolean
  /** Reads the rest without keeping it, so that the connection can be used again. */
  release(): void
}

/** Makes the bounded body of a request that nobody has read from. */
export function boundBody(request: IncomingMessage, type: string, most = maxUploadBody): BoundedBody {
  let bytes = 0
  let tooLong = Number(request.headers['content-length'] ?? 0) > most
  const tooLarge = (): Error => new Error(`the body has more than ${most} bytes`)
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > most) tooLong = true
      if (tooLong) done(tooLarge())
      else done(null, chunk)
    },
  })
  const gone = (): void => void (request.complete || stream.destroy(new Error('the caller is gone')))
  request.once('error', gone).once('close', gone)
  // A body that nobody reads any more may still fail.
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
