import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ground } from '../access/players.ts'
import { leadToNode } from '../http/lead-to-node.ts'

/** Where the media of a channel are that another node has on air. */
export interface MediaOwners {
  /** That node, and the root of its media side. */
  readonly of: (cid: string) => { readonly node: string; readonly media: string } | undefined
  /** What lets somebody in there who is let in here. */
  readonly grant: (cid: string, ground: Ground) => string
}

const grantShape = /^[0-9a-z]{1,9}\.[0-9a-z]{1,12}\.[A-Za-z0-9_-]{22}$/

const nameShape = /^[\w-]{1,64}(?:\.[\w-]{1,16})?$/

/** Whether a decoded name may be that of a file of a push; another one would change the address that it is put in. */
export const isMediaName = (name: string): boolean => nameShape.test(name)

/** The grant of a request; other text is not repeated in playlists. */
export const grantOf = ({ query }: FastifyRequest): string | undefined => {
  const { grant } = query as { readonly grant?: unknown }
  return typeof grant === 'string' && grantShape.test(grant) ? grant : undefined
}

/**
 * Leads somebody who is let in to the node that has the push, with the query of the request. Who needs more than to be
 * anybody gets a grant: cookies and passwords are of one host.
 */
export function leadToOwner(
  owners: MediaOwners,
  request: FastifyRequest,
  reply: FastifyReply,
  about: {
    readonly cid: string
    readonly owner: { readonly node: string; readonly media: string }
    readonly path: string
    readonly ground: Ground
  },
): FastifyReply {
  const { cid, owner, path, ground } = about
  const isOpen = ground.kind === 'everybody'
  return leadToNode(
    request,
    reply,
    { node: owner.node, address: `${owner.media}/live/${path}` },
    // What everybody may have, a cache between asks for once and no more often than for playlists.
    { 'cache-control': isOpen ? 'public, max-age=1' : 'no-store' },
    { grant: isOpen ? undefined : owners.grant(cid, ground) },
  )
}
