import { maxFile } from '../../contract/operations/messages.ts'
import { history, messages } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import { readParameters } from '../../contract/validate.ts'
import { serve, serveBody, type Caller, type Served } from '../http/dispatch.ts'
import type { IncomingBody } from '../http/incoming-body.ts'
import { Refused } from '../refusal.ts'
import { filePath } from './file-routes.ts'
import type { Files } from './files.ts'
import { readFormUpload } from './form-upload.ts'
import { UploadFault, type IncomingFile } from './incoming-file.ts'
import { readMultipartUpload } from './multipart-upload.ts'
import { createUploadSlots } from './upload-slots.ts'

interface Said {
  readonly fields: Readonly<Record<string, unknown>>
  /** Content-Type of the part, if any. */
  readonly partType: string
}

/** Handlers of upload, fileUpload and deleteMediaFile. */
export function fileOperations(options: { readonly files: Files; readonly mediaRoot: () => string }): Served[] {
  const { files, mediaRoot } = options
  const slots = createUploadSlots()

  const receive = async (
    operation: typeof messages.upload | typeof messages.fileUpload,
    { stream }: IncomingBody,
    { application: { uid } }: Caller,
    read: (file: IncomingFile) => Promise<Said>,
  ): Promise<{ url: string; channelid: number }> => {
    const gone = new AbortController()
    stream.once('close', () => gone.abort())
    if (stream.destroyed) gone.abort()
    const free = await slots.take(uid, gone.signal)
    if (!free) throw new Refused(416, 'too many uploads of this application wait')
    try {
      const file = await files.begin(maxFile)
      try {
        const { fields, partType } = await read(file)
        // The file was checked while it was read.
        const reading = readParameters(operation, { ...fields, content: 'file' })
        if (!reading.ok) throw new Refused(reading.refusal.code, reading.refusal.reason)
        const { channelid, token } = await files.store(uid, file, reading.value.type ?? partType.slice(0, 32))
        return { url: `${mediaRoot()}${filePath(token)}`, channelid }
      } catch (error) {
        await file.discard()
        if (error instanceof UploadFault) throw new Refused(operation.invalid, error.message)
        // Nobody reads this answer; not an error of ours.
        throw stream.errored && error === stream.errored
          ? new Refused(operation.invalid, 'the body is incomplete')
          : error
      }
    } finally {
      free()
    }
  }

  return [
    serveBody(messages.upload, (body, caller) =>
      receive(messages.upload, body, caller, async (file) => ({
        fields: await readFormUpload(body.stream, file),
        partType: '',
      })),
    ),
    serveBody(messages.fileUpload, (body, caller) =>
      receive(messages.fileUpload, body, caller, (file) => readMultipartUpload(body.stream, body.type, file, maxFile)),
    ),
    serve(history.deleteMediaFile, async ({ channelid }, { application }) => {
      const operation: Operation = history.deleteMediaFile
      if (!(await files.remove(application.uid, channelid)))
        throw new Refused(operation.unknown, 'there is no file with this number')
      return {}
    }),
  ]
}
