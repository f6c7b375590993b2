import UIcon from '@nuxt/ui/components/Icon.vue'
import { h, type FunctionalComponent } from 'vue'

/** An icon of 16 px beside text that says the same; screen readers pass over it. */
const SmallIcon: FunctionalComponent<{ readonly name: string }> = (props) =>
  h(UIcon, { name: props.name, class: 'size-4', 'aria-hidden': 'true' })
SmallIcon.props = ['name']

export default SmallIcon
