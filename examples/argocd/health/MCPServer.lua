-- Health of an MCPServer for Argo CD: resource.customizations.health.lintel.dev_MCPServer
local health = { status = "Progressing", message = "waiting for the controller" }
local status = obj.status
if status == nil or status.conditions == nil or status.observedGeneration ~= obj.metadata.generation then
  return health
end
if status.message ~= nil and status.message ~= "" then
  health.message = status.message
end
if status.phase == "Failed" or status.phase == "Degraded" then
  health.status = "Degraded"
  return health
end
for _, condition in ipairs(status.conditions) do
  if condition.type == "Ready" then
    if condition.status == "True" then
      health.status = "Healthy"
    elseif condition.status == "False" and status.phase ~= "Pending" then
      health.status = "Degraded"
    end
    if condition.message ~= "" and health.message == "waiting for the controller" then
      health.message = condition.message
    end
  end
end
return health
