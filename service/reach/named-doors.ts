import type { ServiceChoices } from '../../contract/service-process.ts'
import { holderOf, PortTaken, promisedPorts } from '../port-binding.ts'
import { deniedPort, SwitchFault } from '../switch-fault.ts'
import type { DoorFault, WantedDoor } from './doors.ts'

type NamedPorts = Pick<ServiceChoices, 'httpsPort' | 'rtmpsPort'>

/** The switch whose port a door has; undefined for one that is chosen while the service runs. */
function switchOf({ name, tls }: WantedDoor, { httpsPort, rtmpsPort }: NamedPorts): 'https' | 'rtmps' | undefined {
  if (!tls) return undefined
  if (name === 'media') return httpsPort === undefined ? undefined : 'https'
  return rtmpsPort === undefined ? undefined : 'rtmps'
}

/** What a start says of the first door of the command line that could not be opened; undefined for none. */
export async function namedDoorFault(
  faults: readonly DoorFault[],
  choices: ServiceChoices,
): Promise<SwitchFault | undefined> {
  for (const { door, reason, detail } of faults) {
    const name = switchOf(door, choices)
    if (name === undefined) continue
    if (reason === 'taken')
      return new PortTaken(name, door.port, await holderOf(door.port, promisedPorts(choices, name)))
    if (reason === 'denied') return deniedPort(name, door.port)
    return new SwitchFault(`port ${door.port} (--${name}-port) cannot be opened: ${detail}`)
  }
  return undefined
}
