import type { Client } from '../client/client.ts'
import type { Clock } from '../../platform/clock.ts'
import type { EventHub } from '../hub/event-hub.ts'
import type { Profiles } from '../profiles/profiles.ts'
import { type Poll, pollHosted } from './polled-tallies.ts'

interface HostedPollsPorts {
  readonly profiles: Pick<Profiles, 'all' | 'on'>
  readonly hub: Pick<EventHub, 'post' | 'forget' | 'subscribers' | 'onSubscribers'>
  readonly clock: Clock
  readonly client: (profileId: string) => Promise<Client>
  readonly log: (line: string) => void
}

/** Polls hosted profiles, and posts the list of profiles. */
export function pollHostedProfiles({ profiles, hub, clock, client, log }: HostedPollsPorts) {
  const polls = new Map<string, { readonly about: string; readonly poll: Poll }>()
  const reconcile = (): void => {
    const all = profiles.all()
    hub.post({ type: 'profiles', profiles: all })
    const wanted = new Map(
      hub.subscribers() === 0
        ? []
        : all.filter((one) => one.kind === 'hosted').map((one) => [one.id, JSON.stringify(one)]),
    )
    for (const [profileId, { about, poll }] of polls) {
      if (wanted.get(profileId) === about) continue
      poll.end()
      polls.delete(profileId)
      if (!all.some((one) => one.id === profileId)) hub.forget(profileId)
    }
    for (const [profileId, about] of wanted) {
      if (polls.has(profileId)) continue
      const post = (event: Parameters<typeof hub.post>[0]): void => hub.post(event)
      polls.set(profileId, {
        about,
        poll: pollHosted({ profileId, clock, client: () => client(profileId), post, log }),
      })
    }
  }
  const leave = [profiles.on(reconcile), hub.onSubscribers(reconcile)]
  reconcile()
  return {
    pollNow: (profileId: string) => polls.get(profileId)?.poll.pollNow(),
    end: () => {
      for (const off of leave) off()
      for (const { poll } of polls.values()) poll.end()
      polls.clear()
    },
  }
}
