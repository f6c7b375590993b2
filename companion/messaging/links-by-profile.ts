import type { LinkPush } from '../../contract/link/frames.ts'
import { createLinkSessions } from './link-sessions.ts'
import { createOpenRequests, type OpenRequest } from './open-requests.ts'

/** Accounts of one service that are signed in to its link, and requests to them. */
export interface LinkOfProfile {
  readonly sessions: ReturnType<typeof createLinkSessions>
  readonly requests: ReturnType<typeof createOpenRequests>
}

/** Makes an empty set of links by profile. */
export function createLinksByProfile(
  ports: Omit<Parameters<typeof createLinkSessions>[0], 'profileId' | 'pushed'> & {
    readonly pushed: (profileId: string, accid: string, push: LinkPush) => void
  },
) {
  const links = new Map<string, LinkOfProfile>()
  return {
    of: (profileId: string): LinkOfProfile => {
      const known = links.get(profileId)
      if (known) return known
      const requests = createOpenRequests()
      const pushed = (accid: string, push: LinkPush): void => {
        requests.came(accid, push)
        ports.pushed(profileId, accid, push)
      }
      const made = { requests, sessions: createLinkSessions({ ...ports, profileId, pushed }) }
      links.set(profileId, made)
      return made
    },
    find: (profileId: string): LinkOfProfile | undefined => links.get(profileId),
    openRequests: (): (OpenRequest & { readonly profileId: string })[] =>
      [...links].flatMap(([profileId, { requests }]) => requests.all().map((ask) => ({ profileId, ...ask }))),
    forget: (profileId: string): void => {
      links.get(profileId)?.sessions.end()
      links.delete(profileId)
    },
    end: (): void => {
      for (const { sessions } of links.values()) sessions.end()
      links.clear()
    },
  }
}
