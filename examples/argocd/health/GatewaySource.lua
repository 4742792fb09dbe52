-- Health of a GatewaySource for Argo CD: resource.customizations.health.lintel.dev_GatewaySource
local health = { status = "Progressing", message = "waiting for the controller" }
local status = obj.status
if status == nil or status.conditions == nil or status.observedGeneration ~= obj.metadata.generation then
  return health
end
if obj.spec ~= nil and obj.spec.suspend then
  return { status = "Suspended", message = "spec.suspend is set" }
end
local found = {}
for _, condition in ipairs(status.conditions) do
  found[condition.type] = condition
end
if found.Stalled ~= nil and found.Stalled.status == "True" then
  return { status = "Degraded", message = found.Stalled.message }
end
if found.Reconciling ~= nil and found.Reconciling.status == "True" then
  return { status = "Progressing", message = found.Reconciling.message }
end
if found.Ready ~= nil then
  health.message = found.Ready.message
  if found.Ready.status == "True" then
    health.status = "Healthy"
  elseif found.Ready.status == "False" then
    health.status = "Degraded"
  end
end
return health
