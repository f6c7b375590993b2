import { open } from 'node:fs/promises'
import type { FastifyPluginCallback } from 'fastify'
import { chooseRange } from '../../live/media-routes-range.ts'
import { fileType } from './file-types.ts'
import type { Files } from './files.ts'

/** First segment of the paths of uploaded files. */
export const filePrefix = '/files/'
/** Path of a file below the media root. */
export const filePath = (token: string): string => `${filePrefix}${token}`

const tokenPattern = /^[A-Za-z0-9_-]{32}$/
/** For how long a browser may keep a file, in s: one that was deleted is not shown for longer. */
const age = 3600
/** Whatever is in a file, a page made of it may do nothing. */
const policy = "default-src 'none'; sandbox"

/** GET and HEAD of uploaded files, with ranges. Whoever knows the address may read the file (docs/decisions/004-files.md). */
export const fileRoutes =
  ({ files }: { readonly files: Pick<Files, 'find'> }): FastifyPluginCallback =>
  (instance, _options, done) => {
    instance.route<{ Params: { token: string } }>({
      method: ['GET', 'HEAD'],
      url: `${filePrefix}:token`,
      async handler(request, reply) {
        const { token } = request.params
        const file = tokenPattern.test(token) ? await files.find(token) : undefined
        const handle = file && (await open(file.path, 'r').catch(() => undefined))
        if (!file || !handle) {
          reply.callNotFound()
          return reply
        }
        const { type, inline } = fileType(file.type)
        reply.headers({
          'content-type': type,
          'content-disposition': inline ? 'inline' : 'attachment',
          'content-security-policy': policy,
          'x-content-type-options': 'nosniff',
          'cache-control': `private, max-age=${age}`,
          'accept-ranges': 'bytes',
        })
        const range = chooseRange(request.headers['if-range'] === undefined ? request.headers.range : undefined, file.bytes)
        if (range === 'unsatisfiable') {
          await handle.close()
          return reply.code(416).header('content-range', `bytes */${file.bytes}`).send('')
        }
        const { from, to } = range === 'all' ? { from: 0, to: file.bytes - 1 } : range
        if (range !== 'all') reply.code(206).header('content-range', `bytes ${from}-${to}/${file.bytes}`)
        reply.header('content-length', to - from + 1)
        if (request.method === 'HEAD') {
          await handle.close()
          return reply.send(null)
        }
        return reply.send(handle.createReadStream({ start: from, end: to }))
      },
    })
    done()
  }
