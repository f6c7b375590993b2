import { computed } from 'vue'
import { useI18n } from 'vue-i18n'
import { useCompanion } from '../../data/companion.ts'
import { commaOf } from '../../format/languages.ts'
import { doubtOf, nearOf } from './reach-reasons.ts'
import type { Share } from './share.ts'

/** What everything that is set comes to, in a sentence. */
export function useShareOutcome(share: Share) {
  const { t, locale } = useI18n()
  const companion = useCompanion()
  const { access, reach, visits } = share
  const isClosed = computed(() => access.value?.closed ?? false)
  const outside = computed(() =>
    visits.value.find(
      (visit) =>
        visit.state === 'done' && visit.outside === true && visit.steps.some(({ state }) => state === 'passed'),
    ),
  )
  const device = (by: string | undefined): string =>
    t(`share.device.${by === 'phone' || by === 'tablet' || by === 'computer' ? by : 'other'}`)
  const list = (...parts: readonly string[]): string => parts.join(commaOf(locale.value))
  /** Only named links get in, and none is good. */
  const hasNoLink = computed(
    () =>
      access.value?.mode === 'links' &&
      access.value.links.every(
        ({ revoked, expires }) => revoked !== undefined || (expires !== undefined && expires <= companion.clock),
      ),
  )
  const doubt = computed(() => (reach.value ? doubtOf(reach.value) : null))
  const outcome = computed(() => {
    const [now, far] = [access.value, reach.value]
    if (!now || !far) return ''
    if (!share.isKnown.value) return t('share.head.notKnown')
    const { local } = companion
    const still = t(local ? 'share.head.butHere' : 'share.head.butThere')
    if (now.closed) return list(t('share.head.closed'), ...(far.freeHere ? [still] : []))
    const mode = now.mode === 'passphrase' || now.mode === 'links' ? now.mode : 'everybody'
    const who = t(`share.head.${hasNoLink.value ? 'noLinks' : mode}`)
    if (share.missing.value) return list(who, t(`share.why.${share.missing.value}`))
    const encryption = ['vouched', 'unvouched', 'none', 'unknown'].find((one) => one === far.encryption) ?? 'unknown'
    if (far.reach === 'computer') return list(who, t(local ? 'share.head.computer' : 'share.head.computerThere'))
    if (far.reach === 'home') return list(who, t('share.head.home'), t(`share.head.${encryption}`))
    const near = nearOf(far)
    if (near !== null)
      return list(who, t(`share.head.${encryption}`), t(local ? `share.near.${near}` : `share.near.${near}There`))
    const seen = outside.value
    const proof =
      seen?.began === undefined
        ? t('share.head.unchecked')
        : t('share.head.outside', { time: companion.zone.minute(seen.began), device: device(seen.by) })
    const said = doubt.value === null ? [] : [t(`share.trust.${doubt.value.doubt}.short`)]
    return list(who, t(`share.head.${encryption}`), ...said, proof)
  })
  const isGood = computed(
    () =>
      share.isKnown.value &&
      !isClosed.value &&
      !share.missing.value &&
      !hasNoLink.value &&
      doubt.value === null &&
      (reach.value?.reach === 'computer' ||
        reach.value?.reach === 'home' ||
        (outside.value !== undefined && reach.value?.encryption !== 'none')),
  )
  return { outcome, isGood, isClosed }
}
