import { defineStore } from 'pinia'
import { computed, ref, shallowReactive, shallowRef } from 'vue'
import type { DesktopState } from '../../contract/rpc/desktop.ts'
import type { AppEvent } from '../../contract/rpc/events.ts'
import type { About, Capability, Download, Profile, ServiceState, Settings, Update } from '../../contract/rpc/state.ts'
import type { ThisComputer } from '../../contract/rpc/this-computer.ts'
import { firstRecordingDefaults } from '../../contract/switched-recording.ts'
import { times } from '../format/times.ts'
import type { AuthMethod } from './client.ts'
import type { LineState } from './connection.ts'
import { useServices } from './services.ts'

const profileKey = 'sidestage.profile'

/** The connection to the companion and the app's state, except channels. */
export const useCompanion = defineStore('companion', () => {
  const { now, memory } = useServices()
  const line = ref<LineState>('connecting')
  const about = shallowRef<About | null>(null)
  /** How people sign in to this page; null until known. */
  const authMethod = ref<AuthMethod | null>(null)
  const service = shallowRef<ServiceState | null>(null)
  const profiles = shallowRef<readonly Profile[] | null>(null)
  const settings = shallowRef<Settings | null>(null)
  const download = shallowRef<Download | null>(null)
  const update = shallowRef<Update | null>(null)
  const desktop = shallowRef<DesktopState | null>(null)
  const computer = shallowRef<ThisComputer | null>(null)
  /** A disk of the app or its service is read-only or faulty. */
  const diskRefuses = ref(false)
  /** Why something that takes access away is in force but not stored by the service of the chosen profile. */
  const owedBy = shallowReactive(new Map<string, Extract<AppEvent, { type: 'owed' }>['reason']>())
  const wanted = ref(memory.read(profileKey))
  const clock = ref(now())
  /** When the app was last heard, in ms: a lost connection is noticed later. */
  let heardAt = now()
  const lostAt = ref<number | null>(null)
  const heard = (): void => {
    heardAt = now()
  }

  /** Profiles whose service did not answer when it was asked last. */
  const silent = shallowReactive(new Set<string>())

  const profile = computed(
    () =>
      profiles.value?.find((each) => each.id === wanted.value) ??
      profiles.value?.find((each) => each.kind === 'local') ??
      profiles.value?.[0] ??
      null,
  )
  const local = computed(() => profile.value?.kind === 'local')
  /** The chosen profile's service has the extension operations. */
  const extended = computed(() => local.value || profile.value?.extended === true)
  /** Set while the embedded service is down and the chosen profile needs it. */
  const fault = computed(() =>
    local.value && service.value !== null && (service.value.phase === 'restarting' || service.value.phase === 'stopped')
      ? service.value
      : null,
  )

  return {
    line,
    about,
    authMethod,
    seat: computed(() => about.value?.seat ?? null),
    service,
    profiles,
    settings,
    download,
    update,
    desktop,
    computer,
    diskRefuses,
    owed: computed(() => owedBy.get(profile.value?.id ?? '') ?? null),
    profile,
    local,
    extended,
    fault,
    /** Nothing of an extended service is known now: the app or the service is out of reach. */
    isLost: computed(
      () =>
        fault.value !== null ||
        line.value !== 'open' ||
        (profile.value?.extended === true && silent.has(profile.value.id)),
    ),
    /** The service answers late, and the chosen profile needs it. */
    busy: computed(() => local.value && service.value?.busySince != null),
    clock,
    lostAt,
    zone: computed(() => times(service.value?.timeZone ?? '')),
    /** Without a keychain, secrets are forgotten when the app ends. */
    hasKeychain: computed(() => profiles.value?.find((each) => each.kind === 'local')?.secret !== 'session'),
    recordingDefaults: computed(() => settings.value?.recording ?? firstRecordingDefaults),
    can: (capability: Capability): boolean => about.value?.capabilities.includes(capability) ?? false,
    choose: (id: string): void => {
      wanted.value = id
      memory.write(profileKey, id)
    },
    /** Chooses a profile for this window only. */
    hold: (id: string): void => {
      wanted.value = id
    },
    tick: (): void => {
      clock.value = now()
    },
    lineIs: (state: LineState): void => {
      if (state === 'lost' && line.value === 'open') lostAt.value = heardAt
      if (state === 'open') {
        lostAt.value = null
        heard()
      }
      line.value = state
    },
    heard,
    apply: (event: AppEvent): void => {
      heard()
      if (event.type === 'service') service.value = event.service
      else if (event.type === 'profiles') profiles.value = event.profiles
      else if (event.type === 'settings') settings.value = event.settings
      else if (event.type === 'download') download.value = event.download
      else if (event.type === 'update') update.value = event.update
      else if (event.type === 'disk') diskRefuses.value = event.refuses
      else if (event.type === 'tallies') {
        if (event.failure) silent.add(event.profileId)
        else if (event.fault === null) silent.delete(event.profileId)
      } else if (event.type === 'owed') owedBy.set(event.profileId, event.reason)
      else if (event.type === 'desktop') desktop.value = event.desktop
      else if (event.type === 'computer') computer.value = event.computer
    },
  }
})
