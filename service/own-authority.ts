/** How the operator of a stand-alone service names an authority, for whoever connects to a server of one's own. */
export const ownAuthority = 'NODE_EXTRA_CA_CERTS in the environment of the service names an authority of its own'
