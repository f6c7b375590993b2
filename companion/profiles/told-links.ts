import type { Profiles } from './profiles.ts'

interface LinkUser {
  serviceAt(link: { readonly url: string; readonly appKey: string } | undefined, profileId: string): void
}

/** Tells parts where the client links of hosted services are, now and after each change; returns its end. */
export function tellLinks(profiles: Pick<Profiles, 'all' | 'linkOf' | 'on'>, users: readonly LinkUser[]): () => void {
  const tell = (): void => {
    for (const { id, kind } of profiles.all())
      if (kind === 'hosted') for (const user of users) user.serviceAt(profiles.linkOf(id), id)
  }
  tell()
  return profiles.on(tell)
}
