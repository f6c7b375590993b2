import UIcon from '@nuxt/ui/components/Icon.vue'
import { h, type FunctionalComponent } from 'vue'

/** A 16 px icon beside equivalent text; hidden from screen readers. */
const SmallIcon: FunctionalComponent<{ readonly name: string }> = (props) =>
  h(UIcon, { name: props.name, class: 'size-4', 'aria-hidden': 'true' })
SmallIcon.props = ['name']

export default SmallIcon
