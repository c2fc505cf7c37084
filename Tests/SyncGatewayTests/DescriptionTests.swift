import EventSourcing
import Events
import Foundation
import HTTP
import Host
import JSON
import TestKit
import Testing

@testable import SyncGateway

@Suite("The description of the API")
struct DescriptionTests {
    @Test func `the API description covers every route and nothing else`() throws {
        let json = try JSONValue.parse(OpenAPI.document)
        #expect(!json.hasDuplicateKeys)
        #expect(try json.get("openapi", as: String.self) == "3.1.0")
        let paths = try #require(json["paths"]?.object)
        var described = 0
        for (path, item) in paths {
            for (method, operation) in try #require(item.object) {
                let route = Routes.all.first { $0.path.text == path && $0.method.rawValue.lowercased() == method }
                let found = try #require(route, "\(method) \(path)")
                #expect(try operation.get("operationId", as: String.self) == found.name)
                #expect(try !operation.get("summary", as: String.self).isEmpty)
                #expect(operation["responses"]?["400"] != nil)
                let names = try operation.get("parameters", as: [JSONValue].self).compactMap { parameter in
                    try parameter.find("name", as: String.self)
                }
                #expect(names == found.path.parameters + (found.parameters + found.headers).map(\.name))
                described += 1
            }
        }
        #expect(described == Routes.all.count)
        print("openapi: \(described) operations")
        #expect(described >= 46)
        #expect(Set(Routes.all.map(\.name)).count == Routes.all.count)
    }

    @Test func `every reference in the API description has a target`() throws {
        let text = String(decoding: OpenAPI.document, as: UTF8.self)
        let json = try JSONValue.parse(OpenAPI.document)
        var checked = 0
        for part in text.components(separatedBy: "\"$ref\":\"#/").dropFirst() {
            let path = part.prefix { $0 != "\"" }.split(separator: "/")
            var value: JSONValue? = json
            for step in path { value = value?[String(step)] }
            #expect(value != nil, "\(path)")
            checked += 1
        }
        #expect(checked >= 60)
    }

    @Test func `the API description is public`() throws {
        try withTemporaryDirectory { folder in
            let response = try GatewayHarness(in: folder).call("GET", "/openapi.json")
            #expect(response.status == 200)
            #expect(response.headers["Content-Type"] == "application/json")
            #expect(response.body == OpenAPI.document)
        }
    }

    @Test func `the router finds every route that is described`() {
        for route in Routes.all {
            guard case .found(let found, _) = Router.find(route.method.rawValue, DoorTests.plainAddress(of: route))
            else {
                Issue.record("\(route.name) is not found")
                continue
            }
            #expect(found.name == route.name)
        }
    }
}

extension DoorTests {
    static func plainAddress(of route: Route) -> String {
        String(address(of: route).prefix { $0 != "?" })
    }
}
