import type { FastifyPluginCallback } from 'fastify'
import type { FileReads } from '../http/file-reads.ts'
import { fileType } from './file-types.ts'
import type { Files } from './files.ts'

/** First segment of the paths of uploaded files. */
export const filePrefix = '/files/'
/** Path of a file below the media root. */
export const filePath = (token: string): string => `${filePrefix}${token}`

const tokenPattern = /^[A-Za-z0-9_-]{32}$/
/** Cache lifetime in s, after which a deleted file disappears. */
const age = 3600
/** A file opened as a page can do nothing. */
const policy = "default-src 'none'; sandbox"

/** GET and HEAD of uploaded files, with ranges. The address is the only credential (docs/decisions/004-files.md). */
export const fileRoutes =
  ({ files, reads }: { readonly files: Pick<Files, 'find'>; readonly reads: FileReads }): FastifyPluginCallback =>
  (instance, _options, done) => {
    instance.route<{ Params: { token: string } }>({
      method: ['GET', 'HEAD'],
      url: `${filePrefix}:token`,
      async handler(request, reply) {
        const { token } = request.params
        const file = tokenPattern.test(token) ? await files.find(token) : undefined
        if (!file) {
          reply.callNotFound()
          return reply
        }
        const { type, inline } = fileType(file.type)
        return reads.answer(request, reply, 'path' in file ? file.path : file.far, {
          'content-type': type,
          'content-disposition': inline ? 'inline' : 'attachment',
          'content-security-policy': policy,
          'x-content-type-options': 'nosniff',
          'cache-control': `private, max-age=${age}`,
        })
      },
    })
    done()
  }
