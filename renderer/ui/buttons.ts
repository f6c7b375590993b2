import UButton from '@nuxt/ui/components/Button.vue'
import { h, type FunctionalComponent } from 'vue'

/** The kit's button with other defaults, small unless `size` is given. */
const withDefaults = (defaults: Readonly<Record<string, string>>): typeof UButton => {
  const preset: FunctionalComponent = (props, { slots }) => h(UButton, { ...defaults, size: 'sm', ...props }, slots)
  preset.inheritAttrs = false
  return preset as unknown as typeof UButton
}

/** Neither for the main action nor for irreversible ones. */
export const PlainButton = withDefaults({ color: 'neutral', variant: 'outline' })
/** For irreversible actions. */
export const DangerButton = withDefaults({ color: 'error', variant: 'outline' })
/** A button without a border. */
export const GhostButton = withDefaults({ color: 'neutral', variant: 'ghost' })
