import type { LinkFaults } from '../../contract/link/client.ts'
import { linkFaults } from '../../contract/link/faults.ts'

/** Faults that are told, each once. */
const most = 100

/** The contract of the link for a service that may be of another version; `log` is told of each kind of fault once. */
export function toldLinkFaults(log: (line: string) => void): LinkFaults {
  const told = new Set<string>()
  const tell = (fault: string | undefined): string | undefined => {
    if (fault === undefined || told.size >= most || told.has(fault)) return fault
    told.add(fault)
    log(`link: something is left out, as the contract has it otherwise: ${fault}`)
    return fault
  }
  return {
    push: (push) => tell(linkFaults.push(push)),
    answer: (kind, answer) => tell(linkFaults.answer(kind, answer)),
  }
}
