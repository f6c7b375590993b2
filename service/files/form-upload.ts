import type { Readable } from 'node:stream'
import { readFormBody } from '../http/body.ts'
import { createBase64Reader, type Base64Reader } from './base64-reader.ts'
import { UploadFault, type IncomingFile } from './incoming-file.ts'

/** Bytes of the other fields. */
const maxRest = 16 * 1024
const [ampersand, equals] = [0x26, 0x3d]

/** Reads a form whose `content` is a Base64 file, streamed to `file`; returns the other fields. Throws UploadFault. */
export async function readFormUpload(body: Readable, file: IncomingFile): Promise<Readonly<Record<string, unknown>>> {
  const rest: Buffer[] = []
  let restBytes = 0
  const keep = (part: Buffer): void => {
    restBytes += part.length
    if (restBytes > maxRest) throw new UploadFault('the form is too large besides content')
    rest.push(Buffer.from(part))
  }
  let content: Base64Reader | undefined
  let seen = false
  /** Name of the current field; undefined within a value. */
  let name: Buffer | undefined = Buffer.alloc(0)

  const endField = async (): Promise<void> => {
    if (content) await file.write(content.end())
    else if (name) keep(name)
    content = undefined
    name = Buffer.alloc(0)
  }
  for await (const chunk of body as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length;) {
      const next: number = chunk.indexOf(name === undefined ? ampersand : equals, at)
      const stop = name === undefined ? next : earlier(next, chunk.indexOf(ampersand, at))
      const part = chunk.subarray(at, stop < 0 ? chunk.length : stop)
      at = stop < 0 ? chunk.length : stop + 1
      if (name) {
        if (name.length + part.length > maxRest) throw new UploadFault('a name in the form is too long')
        name = Buffer.concat([name, part])
      } else if (content) await file.write(content.read(part))
      else keep(part)
      if (stop < 0) continue
      if (chunk[stop] === ampersand) {
        await endField()
        keep(Buffer.from('&'))
      } else if (decodeURIComponentSafely(name!.toString('latin1')) === 'content') {
        if (seen) throw new UploadFault('a field of the form comes twice')
        seen = true
        content = createBase64Reader()
        name = undefined
      } else {
        keep(Buffer.concat([name!, Buffer.from('=')]))
        name = undefined
      }
    }
  }
  await endField()
  if (!seen) throw new UploadFault('content is empty')
  const reading = readFormBody(Buffer.concat(rest))
  if (!reading.ok) throw new UploadFault(reading.reason)
  return reading.value as Record<string, unknown>
}

const earlier = (one: number, other: number): number => (one < 0 ? other : other < 0 ? one : Math.min(one, other))

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
