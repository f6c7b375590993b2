import { finished, type Readable } from 'node:stream'
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { UploadFault, type IncomingFile } from './incoming-file.ts'

const limits = {
  files: 1,
  fields: 16,
  parts: 17,
  fieldNameSize: 100,
  fieldSize: 4096,
  headerPairs: 32,
  headerSize: 8192,
} as const

/** Default types of clients and the parser, which mean nothing. */
const saysNothing = new Set(['text/plain', 'application/octet-stream', ''])

/** Streams the part `content` of a multipart form to `file`. Throws UploadFault. */
export async function readMultipartUpload(
  body: Readable,
  type: string,
  file: IncomingFile,
  most: number,
): Promise<{ readonly fields: Readonly<Record<string, unknown>>; readonly partType: string }> {
  let parser: BusboyInstance
  try {
    parser = new Busboy({
      headers: { 'content-type': type },
      // Only `content` is a file, whatever the client declares.
      isPartAFile: (name) => name === 'content',
      // One more than allowed, to detect a longer file.
      limits: { ...limits, fileSize: most + 1 },
    })
  } catch {
    throw new UploadFault('the body is not a multipart form with a boundary')
  }
  if (!/^\s*multipart\/form-data\b/i.test(type)) throw new UploadFault('the body is not a multipart form')
  const fields = Object.create(null) as Record<string, string>
  let partType = ''
  let written: Promise<void> | undefined
  await new Promise<void>((resolve, reject) => {
    const fail = (reason: string) => (): void => reject(new UploadFault(reason))
    const take = async (part: BusboyFileStream): Promise<void> => {
      for await (const chunk of part as AsyncIterable<Buffer>) await file.write(chunk)
      if (part.bytesRead === 0) throw new UploadFault('content is empty')
    }
    parser.on('file', (_name, part, filename, _encoding, mimeType) => {
      partType = saysNothing.has(mimeType) ? (/\.[A-Za-z0-9]{1,8}$/.exec(filename)?.[0] ?? mimeType) : mimeType
      part.on('error', fail('the body is not a readable multipart form'))
      written = take(part)
      written.catch(reject)
    })
    parser.on('field', (name, value, nameCut, valueCut) => {
      if (nameCut || valueCut) reject(new UploadFault('a field of the form is too long'))
      else if (Object.hasOwn(fields, name)) reject(new UploadFault('a field of the form comes twice'))
      else fields[name] = value
    })
    parser.on('filesLimit', fail('a field of the form comes twice'))
    parser.on('fieldsLimit', fail(`the form has more than ${limits.fields} fields`))
    parser.on('partsLimit', fail(`the form has more than ${limits.parts} parts`))
    parser.on('error', fail('the body is not a readable multipart form'))
    parser.on('finish', () => {
      if (written) written.then(resolve, reject)
      else reject(new UploadFault('content is empty'))
    })
    // Also covers a failure before: announced length too large, or client disconnected.
    finished(body, { writable: false }, (error) => error && reject(error))
    body.pipe(parser)
  }).finally(() => body.unpipe(parser))
  return { fields, partType }
}
