import type { Client } from '../client/client.ts'
import type { Clock } from '../../platform/clock.ts'
import type { EventHub } from '../hub/event-hub.ts'
import type { AppEvent, Profile } from '../../contract/rpc/index.ts'
import type { PushAddresses } from '../channels/push-addresses.ts'
import type { ExtensionCheck } from '../profiles/extension-check.ts'
import type { Profiles } from '../profiles/profiles.ts'
import { followHosted } from './hosted-line.ts'
import type { HeardPlace } from './local-tallies.ts'
import { type Poll, pollHosted } from './polled-tallies.ts'
import type { PushHistory } from './push-history.ts'

interface HostedPollsPorts {
  readonly profiles: Pick<Profiles, 'all' | 'on'>
  readonly hub: Pick<EventHub, 'post' | 'forget' | 'subscribers' | 'onSubscribers'>
  readonly clock: Clock
  readonly client: (profileId: string) => Promise<Client>
  /** Passes on an event of a channel of an extended service. */
  readonly tell: (event: AppEvent) => void
  readonly addresses: Pick<PushAddresses, 'forget'>
  readonly targets: {
    forgetChannel(profileId: string, cid: string): void
    giveSoon(profileId: string): void
  }
  readonly extensions: Pick<ExtensionCheck, 'askSoon'>
  readonly pushHistory: Pick<PushHistory, 'forget'>
  readonly log: (line: string) => void
}

/** Polls hosted profiles, or follows the events of extended ones, and posts the list of profiles. */
export function pollHostedProfiles(ports: HostedPollsPorts) {
  const { profiles, hub, clock, client, addresses, targets, extensions, log } = ports
  const polls = new Map<string, { readonly about: string; readonly isExtended: boolean; readonly poll: Poll }>()
  const heard = new Map<string, HeardPlace>()
  let before: readonly string[] = []
  const begin = ({ id: profileId, extended }: Profile): Poll => {
    const answered = (): void => extensions.askSoon(profileId)
    const one = { profileId, clock, client: () => client(profileId), answered, log }
    if (!extended) return pollHosted({ ...one, post: (event) => hub.post(event) })
    const place = heard.get(profileId) ?? { place: undefined }
    heard.set(profileId, place)
    return followHosted({
      ...one,
      post: ports.tell,
      changed: (cid) => addresses.forget(profileId, cid),
      gone: (cid) => targets.forgetChannel(profileId, cid),
      began: () => {
        // Its addresses may be others now.
        extensions.askSoon(profileId)
        targets.giveSoon(profileId)
      },
      heard: place,
    })
  }
  const reconcile = (): void => {
    const all = profiles.all()
    hub.post({ type: 'profiles', profiles: all })
    const hosted = hub.subscribers() === 0 ? [] : all.filter((one) => one.kind === 'hosted')
    // The address of its media side is no reason to begin anew.
    const wanted = new Map(hosted.map((one) => [one.id, { one, about: JSON.stringify({ ...one, media: null }) }]))
    for (const [profileId, { about, isExtended, poll }] of polls) {
      const next = wanted.get(profileId)
      if (next?.about === about) continue
      poll.end()
      polls.delete(profileId)
      // What only an extended service tells would stay.
      if (next && isExtended && !next.one.extended) hub.forget(profileId)
    }
    const ids = all.map(({ id }) => id)
    for (const gone of before.filter((id) => !ids.includes(id))) {
      heard.delete(gone)
      ports.pushHistory.forget(gone)
      hub.forget(gone)
    }
    before = ids
    for (const [profileId, { one, about }] of wanted)
      if (!polls.has(profileId)) polls.set(profileId, { about, isExtended: one.extended, poll: begin(one) })
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
