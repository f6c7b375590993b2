import UButton from '@nuxt/ui/components/Button.vue'
import { h, type FunctionalComponent } from 'vue'

/** The kit's button with other defaults, small unless a size is given; takes what the kit's button takes. */
const withDefaults = (defaults: Readonly<Record<string, string>>): typeof UButton => {
  const preset: FunctionalComponent = (props, { slots }) => h(UButton, { ...defaults, size: 'sm', ...props }, slots)
  preset.inheritAttrs = false
  return preset as unknown as typeof UButton
}

/** A button with a frame, for what is neither the main action nor one that cannot be undone. */
export const PlainButton = withDefaults({ color: 'neutral', variant: 'outline' })
/** A button for what cannot be undone. */
export const DangerButton = withDefaults({ color: 'error', variant: 'outline' })
/** A button without a frame. */
export const GhostButton = withDefaults({ color: 'neutral', variant: 'ghost' })
