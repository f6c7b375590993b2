import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLoopbackGroup } from '../../platform/address-group.ts'
import type { DescriptorShare } from '../../platform/descriptors.ts'
import { createGroupPlaces } from '../../platform/group-places.ts'
import { rangeReply } from './range-reply.ts'
import { sendFailure } from './failures.ts'

/** Does not follow symbolic links. Systems without the flag do not let ordinary users create them. */
const readOnly = constants.O_RDONLY | ((constants as { readonly O_NOFOLLOW?: number }).O_NOFOLLOW ?? 0)
/** Concurrent reads of one address, and of this computer. */
const perAddress = 64
const perLoopback = 256

/** Serves files. Each read holds a descriptor until the answer ends. */
export type FileReads = ReturnType<typeof createFileReads>

/** Limits of file reads. */
export interface FileReadBounds {
  readonly descriptors: DescriptorShare
  readonly refused: (why: string) => void
}

/** Makes the file reads of a service, over all its listeners. */
export function createFileReads({ descriptors, refused }: FileReadBounds) {
  const places = createGroupPlaces((group) => (isLoopbackGroup(group) ? perLoopback : perAddress))

  const enter = (group: string): (() => void) | undefined => {
    const leave = places.enter(group)
    if (!leave) return undefined
    if (!descriptors.take()) {
      leave()
      return undefined
    }
    return () => {
      leave()
      descriptors.give()
    }
  }
  return {
    /** Answers with a file or the requested range; 404 for no such file, 503 at the limit. */
    async answer(
      request: FastifyRequest,
      reply: FastifyReply,
      path: string,
      headers: Readonly<Record<string, string>>,
    ): Promise<FastifyReply> {
      const end = enter(request.client.subnet)
      if (!end) {
        refused('files')
        return sendFailure(reply, 503, 'too many files are being read', { 'retry-after': 1 })
      }
      let handle: FileHandle | undefined
      let isStreaming = false
      try {
        handle = await open(path, readOnly).catch(() => undefined)
        if (!handle) {
          reply.callNotFound()
          return reply
        }
        const { size } = await handle.stat()
        const range = rangeReply(request, reply.headers(headers), size)
        if (!range) return reply.send('')
        const { from, to } = range
        reply.header('content-length', to - from + 1)
        if (request.method === 'HEAD' || size === 0) return reply.send(null)
        const stream = handle.createReadStream({ start: from, end: to })
        // The stream closes the file, also when the answer is aborted.
        isStreaming = true
        stream.once('close', end)
        return reply.send(stream)
      } finally {
        if (!isStreaming) {
          await handle?.close()
          end()
        }
      }
    },
  }
}
